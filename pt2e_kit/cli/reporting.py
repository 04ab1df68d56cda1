"""`report` and `export`: how a class stands."""

from pathlib import Path
from typing import Annotated, Any

import typer

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.cli.grading import number

AssignmentName = Annotated[str, typer.Argument(help=_("The assignment: a folder of source/, such as m02_by_hand."))]
CourseFolder = Annotated[Path | None, typer.Option(help=_("The course's folder; else the one you are in."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(report)
    commands.command()(export)


def report(
    assignment: AssignmentName,
    diff: Annotated[bool, typer.Option("--diff", help=_("Only whose score changed, and from what to what."))] = False,
    course: CourseFolder = None,
    json: Annotated[bool, typer.Option("--json", help=_("Print JSON, for other programs."))] = False,
) -> None:
    """Show how everybody stands in an assignment, and which scores are stale.

    A score is stale where a newer submission could not be graded or is not graded yet, or where points, tests or
    exercises have changed since. With --diff: what grading or judging again has changed.

    Example: pt2e-kit report m02_by_hand --diff
    """
    from pt2e_kit.course import Course
    from pt2e_kit.standing import changes, standings

    where = Course.find(course)
    where.source(assignment)
    rows = changes(where, assignment) if diff else standings(where, assignment)
    if json:
        console.say_json(rows)
    elif diff and not rows:
        console.say(_("no score has changed since the results before"))
    elif diff:
        columns = [_("student"), _("what"), (_("before"), "right"), (_("now"), "right")]
        cells = [[r["student_id"], r["what"], _state_or_score(r["before"]), _state_or_score(r["now"])] for r in rows]
        console.stdout().print(console.table(columns, cells))
    else:
        columns = [_("student"), _("state"), (_("score"), "right"), (_("of"), "right"), _("stale"), _("remarks")]
        cells = [
            [r["student_id"], r["state"], number(r["score"]), number(r["max_score"]), r["stale"], r["remarks"]]
            for r in rows
        ]
        console.stdout().print(console.table(columns, cells))


def _state_or_score(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{number(value[0])}/{number(value[1])}"


def export(
    assignment: AssignmentName,
    to: Annotated[Path, typer.Option(help=_("The CSV file to write."))] = Path("grades.csv"),
    course: CourseFolder = None,
) -> None:
    """Write the scores of an assignment as CSV, with state and staleness in columns of their own.

    Example: pt2e-kit export m02_by_hand --to m02.csv
    """
    from pt2e_kit.course import Course
    from pt2e_kit.standing import COLUMNS, standings, write_csv

    rows = standings(Course.find(course), assignment)
    write_csv(to, COLUMNS, rows)
    stale = sum(bool(row["stale"]) for row in rows)
    console.say(_("{n} rows in {path}; stale: {stale}").format(n=len(rows), path=to, stale=stale))
