"""Scores for Moodle: its grading worksheet filled in, or a table for the gradebook's import.

What the worksheet holds, and what Moodle reads of it again, is in its source: mod/assign/feedback/offline/locallib.php
and importgradeslib.php (`Identifier`, `Grade` and `Last modified (grade)` are needed; what is empty is skipped). Names
in the zip of feedback files are in mod/assign/feedback/file/importziplib.php.
"""

import re
from typing import Any

from common.i18n import _
from pt2e_kit.lms.students import Students
from pt2e_kit.reports.sheets import Outcome, Sheet, converter, number_in, points, who_is_who, writable

GRADE, MAXIMUM, CHANGEABLE = "Grade", "Maximum Grade", "Grade can be changed"
IDENTIFIER = re.compile(r"(?P<word>.*?)(?P<number>[0-9]+)\s*")
"""`Participant 123456`; the word is in the language of whoever downloaded it."""


def fill_worksheet(
    sheet: Sheet,
    rows: list[dict[str, Any]],
    students: Students | None,
    *,
    column: str = GRADE,
    scale: bool = False,
    with_stale: bool = False,
) -> Outcome:
    """Write scores into a grading worksheet of Moodle (Grading action: Download grading worksheet).

    Only the cells of `column` are changed. Rows of people without a score stay as they are.

    Raises:
        ValueError: it is no grading worksheet, or Moodle's maximum is another and `scale` is not set.
    """
    at, outcome = sheet.needs(column, "--column"), Outcome()
    scores = writable(rows, outcome, with_stale=with_stale)
    people = people_in(sheet, at, [row["student_id"] for row in rows], students, outcome)
    most, can = sheet.column(MAXIMUM), sheet.column(CHANGEABLE)
    for number, student in people.items():
        row = sheet.rows[number]
        if student not in scores:
            continue
        if can is not None and row[can].strip().casefold() == "no":
            outcome.left.append((student, _("Moodle does not let this grade be changed")))
            continue
        theirs = number_in(row[most]) if most is not None else None
        write = converter(theirs, scores[student]["adjusted_max"], scale=scale, what=str(sheet.path))
        row[at] = write(scores[student]["adjusted"])
        outcome.written.append(student)
    outcome.left += [(s, _("is not in the sheet")) for s in sorted(scores.keys() - set(people.values()))]
    return outcome


def people_in(
    sheet: Sheet, grade_at: int, ids: list[str], students: Students | None, outcome: Outcome
) -> dict[int, str]:
    """Return row → student. Who a person is stands in the columns before the grade: number, name, mail, id number.

    Raises:
        ValueError: the first column is no identifier.
    """
    names = {}
    for number, row in enumerate(sheet.rows[1:], 1):
        found = IDENTIFIER.fullmatch(row[0])
        if found is None:
            text = _(
                "{path}: no grading worksheet of Moodle: its first column has to hold Participant 123456, not {cell!r}"
            )
            raise ValueError(text.format(path=sheet.path, cell=row[0][:40]))
        names[number] = (found["number"], *reversed(row[1:grade_at]), row[1] if grade_at > 1 else "")
    return who_is_who(names, ids, students, outcome)


def feedback_folders(
    sheet: Sheet, ids: list[str], students: Students | None, outcome: Outcome, column: str = GRADE
) -> dict[str, str]:
    """Return student → the folder that Moodle's *Upload multiple feedback files in a zip* takes for theirs."""
    people = people_in(sheet, sheet.needs(column, "--column"), ids, students, outcome)
    folders = {}
    for number, student in people.items():
        row = sheet.rows[number]
        found = IDENTIFIER.fullmatch(row[0])
        assert found is not None  # people_in has looked
        # Moodle reads the number between the first two underscores, so a name may hold none.
        name = "".join(c if c.isalnum() or c in " .-'’" else " " for c in row[1]).strip(" .") or "Participant"
        folders[student] = f"{name}_{found['number']}_assignsubmission_file_"
    return folders


def import_table(
    rows: list[dict[str, Any]], column: str, people: dict[str, dict[str, str]], *, with_stale: bool = False
) -> tuple[tuple[str, ...], list[dict[str, Any]], Outcome]:
    """Return columns and rows for Moodle's *Grades, Import, CSV file*, where one says which column is what.

    Args:
        people: student → first name, last name, email, as nbgrader's gradebook has them.
    """
    outcome, found = Outcome(), []
    for student, row in writable(rows, outcome, with_stale=with_stale).items():
        own = people.get(student, {})
        names = {"First name": own.get("first_name"), "Last name": own.get("last_name")}
        entry = {"Student": student, **names, "Email address": own.get("email"), column: points(row["adjusted"])}
        found.append(entry)
        outcome.written.append(student)
    return ("Student", "First name", "Last name", "Email address", column), found, outcome
