"""Who is who: student ids that nbgrader can take, and the file that says which id a person of the system has."""

import csv
import unicodedata
from collections import defaultdict
from pathlib import Path

from common.i18n import _

MOST_LETTERS = 100
RESERVED = {"con", "prn", "aux", "nul", *(f"{kind}{n}" for kind in ("com", "lpt") for n in range(1, 10))}
"""Windows opens devices by these names, whatever their ending."""


def same(text: str) -> str:
    """Return the form under which two spellings of a name are one: letters and accents, case, blanks."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


def why_not_an_id(student: str) -> str | None:
    """Say why nbgrader, or a file system, cannot take this as a student's id; None where they can.

    nbgrader makes folder names of ids, looks for them with `*`, `?` and `[`, takes `+` and `,` for separators, and
    writes them into tables that spreadsheets open.
    """
    if not student or student != student.strip():
        return _("it is empty, or begins or ends with a blank")
    if len(student) > MOST_LETTERS:
        return _("it is longer than {n} letters").format(n=MOST_LETTERS)
    if student != unicodedata.normalize("NFC", student):
        return _("its accents are not in their usual form (NFC)")
    if unicodedata.category(student[0])[0] not in "LN":
        return _("it begins with {c!a}; letters and digits can begin an id").format(c=student[0])
    bad = [c for c in student if c not in " .-_@'’" and unicodedata.category(c)[0] not in "LMN"]
    if bad:
        return _("it holds {c!a}; letters, digits, blanks and . - _ @ ' can be in an id").format(c=bad[0])
    if student.endswith(".") or student.split(".")[0].casefold() in RESERVED:
        return _("Windows has no folder of that name")
    return None


class Students:
    """The students file: a table (CSV) with a column `student_id`; every other column names the same person.

    Such columns are the number or name that the system writes into file names: ``name,student_id`` or
    ``lms_id,name,student_id``. Case, accents' forms and blanks make no difference.
    """

    def __init__(self, ids: dict[str, set[str]], source: str) -> None:
        self._ids, self.source = ids, source

    @classmethod
    def read(cls, path: Path) -> "Students":
        """Read the file; comma, semicolon or tab separate its columns, as its first line shows.

        Raises:
            ValueError: it is no such table; the message names the line.
            OSError: it cannot be read.
        """
        try:
            lines = path.read_bytes().decode("utf-8-sig").splitlines()
        except UnicodeDecodeError:
            raise ValueError(_("{path}: not UTF-8; save it as 'CSV UTF-8'").format(path=path)) from None
        head = lines[0] if lines else ""
        separators = [s for s in ",;\t" if "student_id" in [c.strip().strip('"') for c in head.split(s)] and s in head]
        if len(separators) != 1:
            text = _("{path}, line 1: name the columns, as in: name,student_id")
            raise ValueError(text.format(path=path))
        rows = csv.reader(lines, delimiter=separators[0], strict=True)
        ids: dict[str, set[str]] = defaultdict(set)
        try:
            columns = [c.strip() for c in next(rows)]
            for row in rows:
                if any(cell.strip() for cell in row):
                    cls._add(ids, columns, row, f"{path}, line {rows.line_num}")
        except csv.Error as error:
            raise ValueError(f"{path}, line {rows.line_num}: {error}") from None
        return cls(dict(ids), path.name)

    @staticmethod
    def _add(ids: dict[str, set[str]], columns: list[str], row: list[str], where: str) -> None:
        if len(row) != len(columns):
            text = _("{where}: {n} columns where the first line has {m}")
            raise ValueError(text.format(where=where, n=len(row), m=len(columns)))
        at = columns.index("student_id")
        student = unicodedata.normalize("NFC", row[at].strip())
        why = why_not_an_id(student)
        if why:
            raise ValueError(
                _("{where}: {id!r} cannot be a student id: {why}").format(where=where, id=student, why=why)
            )
        for number, cell in enumerate(row):
            if number != at and cell.strip():
                ids[same(cell)].add(student)

    def ids(self, names: tuple[str, ...]) -> set[str]:
        """Return the student ids of a person with these names: none, the one, or several that contradict each other.

        A name that two rows share decides nothing where another name of the person does.
        """
        found = [self._ids[same(n)] for n in names if same(n) in self._ids]
        certain = [ids for ids in found if len(ids) == 1]
        return set().union(*(certain or found))
