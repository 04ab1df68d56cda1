"""Tables (CSV) that a learning management system gave, to be filled in: who is who in them, and what was left.

Cells that were there are written back as they were: the system reads them again, and an apostrophe in front of one
would change it. What we put in are numbers only.
"""

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.lms.students import Students, same


@dataclass
class Sheet:
    """A table as it stood in its file."""

    path: Path
    rows: list[list[str]]
    """The first one is the headings; all are of one length."""
    separator: str = ","
    mark: bool = False
    """Whether the file began with a byte-order mark."""

    @property
    def headings(self) -> list[str]:
        """The first row."""
        return self.rows[0]

    def column(self, name: str) -> int | None:
        """Where the column of this name is; None where there is none. Case and blanks make no difference."""
        found = [i for i, heading in enumerate(self.headings) if same(heading) == same(name)]
        return found[0] if found else None

    def needs(self, name: str, option: str) -> int:
        """Where the column of this name is.

        Raises:
            ValueError: there is none; the message names those there are, and the option that chooses one.
        """
        at = self.column(name)
        if at is None:
            text = _("{path} has no column {name!r}; name one with {option}. There are: {all}")
            known = ", ".join(h.strip() for h in self.headings)
            raise ValueError(text.format(path=self.path, name=name, option=option, all=known))
        return at

    def write(self, path: Path) -> None:
        """Write it in the form it was in, whole or not at all."""
        part = path.with_name(path.name + ".part")
        with part.open("w", encoding="utf-8-sig" if self.mark else "utf-8", newline="") as file:
            csv.writer(file, delimiter=self.separator).writerows(self.rows)
        part.replace(path)


def read_sheet(path: Path) -> Sheet:
    """Read a table; comma, semicolon or tab separate its columns, whichever its first line has most of.

    Raises:
        ValueError: it is no table in UTF-8.
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(_("{path}: not UTF-8; download it as CSV").format(path=path)) from None
    head = text.partition("\n")[0]
    separator = max(",;\t", key=head.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        rows = [row for row in reader if row]
    except csv.Error as error:
        raise ValueError(f"{path}, line {reader.line_num}: {error}") from None
    if not rows or separator not in head:
        raise ValueError(_("{path}: this is no table with columns (CSV)").format(path=path))
    width = len(rows[0])
    rows = [row + [""] * (width - len(row)) for row in rows]
    too_long = next((n for n, row in enumerate(rows, 1) if len(row) > width), None)
    if too_long is not None:
        raise ValueError(_("{path}: row {n} has more columns than the first one").format(path=path, n=too_long))
    return Sheet(path, rows, separator, data.startswith(b"\xef\xbb\xbf"))


@dataclass
class Outcome:
    """What became of an export."""

    written: list[str] = field(default_factory=list)
    """Students whose score was written."""
    left: list[tuple[str, str]] = field(default_factory=list)
    """Whoever was left, and why."""


def who_is_who(
    names_of: Mapping[int, tuple[str, ...]], students: Iterable[str], table: Students | None, outcome: Outcome
) -> dict[int, str]:
    """Return the student of each row of a sheet, where there is just one; tell of the others in `outcome`.

    Args:
        names_of: row → what the system calls the person, the best name last.
        students: the ids that are known here.
        table: the students file; without one, a person is the student whose id is one of the names.
    """
    ids: dict[str, set[str]] = defaultdict(set)  # two ids may differ in case only
    for student in students:
        ids[same(student)].add(student)
    known = set().union(*ids.values())
    found: dict[int, str] = {}
    for row, names in names_of.items():
        names = tuple(name.strip() for name in names if name.strip())
        meant = table.ids(names) & known if table else set().union(*(ids.get(same(n), ()) for n in names))
        if len(meant) == 1:
            found[row] = meant.pop()
        elif names:
            why = _("could be {ids}").format(ids=", ".join(sorted(meant))) if meant else _("is nobody known here")
            outcome.left.append((names[-1], why))
    twice = {student for student, n in Counter(found.values()).items() if n > 1}
    outcome.left += [(student, _("stands in two rows")) for student in sorted(twice)]
    return {row: student for row, student in found.items() if student not in twice}


def writable(rows: list[dict[str, Any]], outcome: Outcome, *, with_stale: bool) -> dict[str, dict[str, Any]]:
    """Return the standings of those whose score is to be written; tell of the others in `outcome`."""
    found = {}
    for row in rows:
        if row["adjusted"] is None:
            outcome.left.append((row["student_id"], _("no score ({state})").format(state=row["state"])))
        elif row["stale"] and not with_stale:
            outcome.left.append((row["student_id"], _("stale: {why}").format(why=row["stale"])))
        else:
            found[row["student_id"]] = row
    return found


def converter(theirs: float | None, ours: float, *, scale: bool, what: str) -> Callable[[float], str]:
    """Return how a score of ours is written in a system whose maximum is `theirs`; None: the sheet does not say.

    Raises:
        ValueError: the maxima differ, and nobody has said that scores are to be scaled.
    """
    if theirs is None or theirs == ours:
        return points
    if not scale:
        text = _("{what}: the most is {theirs:g} there and {ours:g} here. Change it there, or add --scale")
        raise ValueError(text.format(what=what, theirs=theirs, ours=ours))
    if not ours:
        raise ValueError(_("{what}: nothing can be scaled, since the most is 0 here").format(what=what))
    return lambda score: points(score / ours * theirs)


def points(score: float) -> str:
    """A score with two decimals at most, and a point."""
    return f"{score:.2f}".rstrip("0").rstrip(".")


def number_in(cell: str) -> float | None:
    """The number in a cell, with a point or a comma; None where it is none."""
    try:
        return float(cell.strip().replace(",", "."))
    except ValueError:
        return None
