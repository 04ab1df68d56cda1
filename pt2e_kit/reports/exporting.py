"""What `export` does: for each program that reads scores, the file that it takes."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.gradebook import opened, people
from pt2e_kit.lms.students import Students
from pt2e_kit.record import write_feedback
from pt2e_kit.reports import canvas, moodle
from pt2e_kit.reports.adjusted import EXPORT_COLUMNS
from pt2e_kit.reports.feedback import write_feedback_zip
from pt2e_kit.reports.sheets import Outcome, read_sheet
from pt2e_kit.standing import write_csv

ONLY = {"csv": (), "moodle": ("--into", "--students", "--column", "--scale")}
"""Options that a form takes; canvas takes all."""


@dataclass(frozen=True)
class Wish:
    """What is to be written, as the options of `export` say it."""

    form: str
    """csv, moodle or canvas."""
    to: Path
    into: Path | None = None
    """A file of the system's, of which a copy is filled in."""
    students: Path | None = None
    column: str | None = None
    ids: str | None = None
    scale: bool = False
    with_stale: bool = False


def check(wish: Wish, feedback_zip: Path | None = None) -> None:
    """Refuse what does not go together, before anything is written.

    Raises:
        ValueError: the message names the options.
    """
    given = {"--into": wish.into, "--students": wish.students, "--column": wish.column, "--ids": wish.ids}
    given |= {"--scale": wish.scale}
    wrong = [name for name, value in given.items() if value and name not in ONLY.get(wish.form, given)]
    if wrong:
        raise ValueError(_("{options}: not for --format {form}").format(options=", ".join(wrong), form=wish.form))
    if (wish.students or wish.scale) and wish.into is None:
        raise ValueError(_("--students and --scale go with --into"))
    if wish.ids and wish.into is not None:
        raise ValueError(_("--ids is for an export without --into"))
    for name, written in (("--to", wish.to), ("--feedback-zip", feedback_zip)):
        if written is not None and written.is_dir():
            raise ValueError(_("{name}: {path} is a folder; name a file in it").format(name=name, path=written))
        for read in (wish.into, wish.students):
            if written is not None and read is not None and written.resolve() == read.resolve():
                text = _("{name}: {path} is what is read; write into another file")
                raise ValueError(text.format(name=name, path=read))
    if feedback_zip is not None and feedback_zip.resolve() == wish.to.resolve():
        raise ValueError(_("--to and --feedback-zip name the same file"))


def export_scores(course: Course, assignment: str, rows: list[dict[str, Any]], wish: Wish) -> Outcome:
    """Write the scores of `rows` (see `Standing.rows`) for whoever reads them; return who is in the file and who is not.

    Raises:
        ValueError: a file that was given is not what it should be, or a maximum is another there.
        OSError: a file cannot be read or written.
    """
    if wish.form == "csv":
        write_csv(wish.to, EXPORT_COLUMNS, rows)
        return Outcome([row["student_id"] for row in rows])
    if wish.into is not None:
        sheet, table = read_sheet(wish.into), _table(wish)
        how: dict[str, Any] = {"scale": wish.scale, "with_stale": wish.with_stale}
        if wish.form == "moodle":
            outcome = moodle.fill_worksheet(sheet, rows, table, column=wish.column or moodle.GRADE, **how)
        else:
            sheet, outcome = canvas.fill_gradebook(sheet, rows, table, column=wish.column or assignment, **how)
        sheet.write(wish.to)
        return outcome
    with opened(course.db_url()) as gradebook:
        known = people(gradebook)
    column, stale = wish.column or assignment, wish.with_stale
    if wish.form == "moodle":
        columns, cells, outcome = moodle.import_table(rows, column, known, with_stale=stale)
        write_csv(wish.to, columns, cells)
    else:
        sheet, outcome = canvas.new_table(rows, known, column=column, ids=wish.ids, with_stale=stale)
        sheet.write(wish.to)
    return outcome


def export_feedback(course: Course, assignment: str, rows: list[dict[str, Any]], wish: Wish, path: Path) -> Outcome:
    """Write feedback pages anew, so that marks and comments given since are in them, and put all into one zip.

    With Moodle's worksheet, folders are named as Moodle takes them; else by student id.
    """
    folders = None
    if wish.form == "moodle" and wish.into is not None:
        known = [row["student_id"] for row in rows]
        not_told = Outcome()  # whoever cannot be told apart was told with the scores
        folders = moodle.feedback_folders(
            read_sheet(wish.into), known, _table(wish), not_told, wish.column or moodle.GRADE
        )
    write_feedback(course, assignment)
    return write_feedback_zip(course, assignment, rows, path, folders, with_stale=wish.with_stale)


def _table(wish: Wish) -> Students | None:
    return Students.read(wish.students) if wish.students else None
