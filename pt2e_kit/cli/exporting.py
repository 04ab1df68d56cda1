"""`export`: scores and feedback for other programs."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.cli.reporting import AssignmentName, CourseFolder, tell_of_nobody

if TYPE_CHECKING:
    from pt2e_kit.reports.sheets import Outcome


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(export)


class Format(StrEnum):
    """Who reads the exported scores."""

    csv = "csv"
    moodle = "moodle"
    canvas = "canvas"


def export(
    assignment: AssignmentName,
    to: Annotated[Path, typer.Option(help=_("The file to write."))] = Path("grades.csv"),
    form: Annotated[
        Format, typer.Option("--format", help=_("csv: all columns of ours; moodle, canvas: what these import."))
    ] = Format.csv,
    into: Annotated[
        Path | None,
        typer.Option(
            help=_("Moodle's grading worksheet, or the gradebook that Canvas exported: fill in a copy of it.")
        ),
    ] = None,
    students: Annotated[
        Path | None,
        typer.Option(help=_("Table (CSV) of who is who, as for collect: a column student_id, others with names.")),
    ] = None,
    column: Annotated[
        str | None,
        typer.Option(help=_("Heading of the column for the scores; else Grade (worksheet), or the assignment's name.")),
    ] = None,
    ids: Annotated[
        str | None,
        typer.Option(help=_('Canvas without --into: which column student ids are: ID, "SIS User ID", "SIS Login ID".')),
    ] = None,
    scale: Annotated[
        bool, typer.Option("--scale", help=_("Where the most points there are others than here: convert the scores."))
    ] = False,
    with_stale: Annotated[
        bool, typer.Option("--with-stale", help=_("Take stale scores and feedback as well; else they are left out."))
    ] = False,
    feedback_zip: Annotated[
        Path | None, typer.Option(help=_("Write all feedback pages as well, a folder for each student, into this zip."))
    ] = None,
    course: CourseFolder = None,
) -> None:
    """Write the scores of an assignment for other programs: as CSV, for Moodle, for Canvas; and the feedback pages.

    --format csv has state and staleness in columns of their own, and the score as it was given beside the adjusted one.
    Moodle and Canvas get adjusted scores. They have no place for staleness, so stale scores are left out there, and
    everybody who is left is told with the reason. The files given with --into and --students are only read.

    Example: pt2e-kit export m02_by_hand --to m02.csv

    Example: pt2e-kit export m02_by_hand --format moodle --into worksheet.csv --students class.csv --feedback-zip back.zip
    """
    from pt2e_kit.course import Course
    from pt2e_kit.reports.adjusted import standing
    from pt2e_kit.reports.exporting import Wish, check, export_feedback, export_scores

    where = Course.find(course)
    where.source(assignment)
    wish = Wish(form.value, to, into, students, column, ids, scale, with_stale)
    check(wish, feedback_zip)
    stands = standing(where, assignment)
    tell_of_nobody(stands.nobody)
    made = export_scores(where, assignment, stands.rows, wish)
    if form is Format.csv:
        stale = sum(bool(row["stale"]) for row in stands.rows)
        console.say(_("{n} rows in {path}; stale: {stale}").format(n=len(stands.rows), path=to, stale=stale))
    else:
        _tell(made, _("scores in {path}: {n}"), to)
    waiting = sum(bool(known.waiting) for known in stands.known.values())
    if waiting:
        console.say(_("students with written answers that nobody has marked yet (they count 0): {n}").format(n=waiting))
    if feedback_zip is not None:
        made = export_feedback(where, assignment, stands.rows, wish, feedback_zip)
        _tell(made, _("students with feedback in {path}: {n}"), feedback_zip)


def _tell(outcome: "Outcome", text: str, path: Path) -> None:
    console.say(text.format(path=path, n=len(outcome.written)))
    if outcome.left:
        console.say(_("left: {n}").format(n=len(outcome.left)))
        console.stdout().print(console.table([_("who"), _("why")], [list(entry) for entry in outcome.left]))
