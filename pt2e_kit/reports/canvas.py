"""Scores for Canvas: a table that its gradebook imports.

What the import reads is in its source, lib/gradebook_importer.rb: the headings begin with Student and ID, end with
Section, and may have SIS User ID, SIS Login ID and more between them; then come assignments, as `Title (id)`. A row
Points Possible may follow. Whatever stands in such a table is taken over, so ours holds nothing but the one assignment
and those who have a score: no grade that somebody changed since the download is set back.
"""

import re
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.lms.students import Students, same
from pt2e_kit.reports.sheets import Outcome, Sheet, converter, number_in, points, who_is_who, writable
from pt2e_kit.standing import safe_cell

ID_COLUMNS = ("ID", "SIS User ID", "SIS Login ID")
PEOPLE = ("Student", "LastName", "FirstName", *ID_COLUMNS, "Integration ID", "Root Account", "Section")
POINTS_POSSIBLE = "    Points Possible"


def fill_gradebook(
    sheet: Sheet,
    rows: list[dict[str, Any]],
    students: Students | None,
    *,
    column: str,
    scale: bool = False,
    with_stale: bool = False,
) -> tuple[Sheet, Outcome]:
    """Return a table to import, made from an exported gradebook (*Export entire gradebook*), and what became of whom.

    Args:
        column: the assignment's heading, `Title (id)` or only `Title`.

    Raises:
        ValueError: it is no gradebook of Canvas, has no such column, or another maximum and `scale` is not set.
    """
    section = sheet.column("Section")
    if section is None or sheet.column("ID") is None:
        text = _("{path}: no gradebook that Canvas exported: it has no columns ID and Section")
        raise ValueError(text.format(path=sheet.path))
    at = _assignment(sheet, column, section)
    kept = [i for i, heading in enumerate(sheet.headings[: section + 1]) if heading.strip() in PEOPLE]
    outcome = Outcome()
    scores = writable(rows, outcome, with_stale=with_stale)
    named = [i for i in kept if sheet.headings[i].strip() in (*ID_COLUMNS, "Integration ID", "Student")]
    names, possible = {}, None
    for number, row in enumerate(sheet.rows[1:], 1):
        if "Points Possible" in row[0]:
            possible = row
        elif any(row[i].strip() for i in kept):
            names[number] = tuple(row[i] for i in reversed(named))
    theirs = number_in(possible[at]) if possible else None
    made = [[sheet.headings[i] for i in (*kept, at)]]
    made += [[possible[i] for i in (*kept, at)]] if possible else []
    people = who_is_who(names, [row["student_id"] for row in rows], students, outcome)
    for number, student in people.items():
        if student in scores:
            ours = scores[student]
            write = converter(theirs, ours["adjusted_max"], scale=scale, what=str(sheet.path))
            made.append([*(sheet.rows[number][i] for i in kept), write(ours["adjusted"])])
            outcome.written.append(student)
    outcome.left += [(s, _("is not in the sheet")) for s in sorted(scores.keys() - set(people.values()))]
    return Sheet(sheet.path, made, sheet.separator, sheet.mark), outcome


def _assignment(sheet: Sheet, column: str, section: int) -> int:
    """Where the assignment is: by its whole heading, else by the title before its number."""
    exact = [i for i, h in enumerate(sheet.headings) if i > section and same(h) == same(column)]
    titled = [
        i
        for i, h in enumerate(sheet.headings)
        if i > section and same(re.sub(r"\s*\(\d+\)\s*$", "", h)) == same(column)
    ]
    found = exact or titled
    if len(found) == 1:
        return found[0]
    known = ", ".join(h.strip() for h in sheet.headings[section + 1 :]) or _("none")
    what = _("has no column {name!r}") if not found else _("has several columns {name!r}")
    text = _("{path} {what}; name one with --column. There are: {all}")
    raise ValueError(text.format(path=sheet.path, what=what.format(name=column), all=known))


def new_table(
    rows: list[dict[str, Any]],
    people: dict[str, dict[str, str]],
    *,
    column: str,
    ids: str | None,
    with_stale: bool = False,
) -> tuple[Sheet, Outcome]:
    """Return a table to import where no exported gradebook is at hand.

    Args:
        people: student → first name, last name, as nbgrader's gradebook has them.
        ids: which of Canvas's columns student ids are. Canvas looks for a person in them, so that nobody can guess.

    Raises:
        ValueError: `ids` is none of the columns.
    """
    if ids not in ID_COLUMNS:
        text = _("for canvas, give the exported gradebook with --into, or say with --ids what student ids are: {all}")
        raise ValueError(text.format(all=", ".join(f'"{name}"' for name in ID_COLUMNS)))
    outcome = Outcome()
    scores = writable(rows, outcome, with_stale=with_stale)
    made = [["Student", *ID_COLUMNS, "Section", column]]
    most = max((row["adjusted_max"] for row in scores.values()), default=0.0)
    made.append([POINTS_POSSIBLE, "", "", "", "", points(most)])
    for student, row in scores.items():
        own = people.get(student, {})
        name = ", ".join(filter(None, (own.get("last_name"), own.get("first_name"))))
        cells = [student if heading == ids else "" for heading in ID_COLUMNS]
        made.append([*map(safe_cell, (name or student, *cells)), "", points(row["adjusted"])])
        outcome.written.append(student)
    return Sheet(Path(), made), outcome
