"""`report`: how a class stands."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.cli.grading import number

if TYPE_CHECKING:
    from pt2e_kit.course import Course

AssignmentName = Annotated[str, typer.Argument(help=_("The assignment: a folder of source/, such as m02_by_hand."))]
CourseFolder = Annotated[Path | None, typer.Option(help=_("The course's folder; else the one you are in."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(report)


def report(
    assignment: AssignmentName,
    diff: Annotated[bool, typer.Option("--diff", help=_("Only whose score changed, and from what to what."))] = False,
    html: Annotated[
        Path | None, typer.Option(help=_("Write a page (HTML) about the whole class into this file."))
    ] = None,
    csv: Annotated[Path | None, typer.Option(help=_("Write the page's tables as CSV into this folder."))] = None,
    no_names: Annotated[
        bool, typer.Option("--no-names", help=_("In the page and its tables: numbers in the place of students."))
    ] = False,
    course: CourseFolder = None,
    json: Annotated[bool, typer.Option("--json", help=_("Print JSON, for other programs."))] = False,
) -> None:
    """Show how everybody stands in an assignment, and which scores are stale.

    A score is stale where a newer submission could not be graded or is not graded yet, or where points, tests or
    exercises have changed since. With --diff: what grading or judging again has changed. Scores are shown as they were
    given, and beside them as adjustments.toml adjusts them, where the course has such a file.

    The page of --html shows scores, exercises, misconceptions, and what needs a person. It needs no network.

    Example: pt2e-kit report m02_by_hand --diff

    Example: pt2e-kit report m02_by_hand --html report.html --csv tables --no-names
    """
    from pt2e_kit.course import Course
    from pt2e_kit.standing import changes

    where = Course.find(course)
    where.source(assignment)
    if (html or csv) and (diff or json):
        raise ValueError(_("--html and --csv go neither with --diff nor with --json"))
    if no_names and not (html or csv):
        raise ValueError(_("--no-names goes with --html or --csv"))
    if html or csv:
        _write_report(where, assignment, html, csv, names=not no_names)
    elif diff:
        _show_changes(changes(where, assignment), json)
    else:
        _show_standing(where, assignment, json)


def _write_report(where: "Course", assignment: str, html: Path | None, csv: Path | None, names: bool) -> None:
    from pt2e_kit.reports.overview import overview
    from pt2e_kit.reports.page import write_page
    from pt2e_kit.reports.tables import write_tables

    if html is not None and html.is_dir():
        raise ValueError(_("--html: {path} is a folder; name a file in it, such as report.html").format(path=html))
    gathered = overview(where, assignment, names=names)
    if html is not None:
        write_page(gathered, html)
        console.say(_("wrote {path}").format(path=html))
    for path in write_tables(gathered, csv) if csv is not None else ():
        console.say(_("wrote {path}").format(path=path))


def _show_changes(rows: list[dict[str, Any]], json: bool) -> None:
    if json:
        console.say_json(rows)
    elif not rows:
        console.say(_("no score has changed since the results before"))
    else:
        columns = [_("student"), _("what"), (_("before"), "right"), (_("now"), "right")]
        cells = [[r["student_id"], r["what"], _state_or_score(r["before"]), _state_or_score(r["now"])] for r in rows]
        console.stdout().print(console.table(columns, cells))


def _show_standing(where: "Course", assignment: str, json: bool) -> None:
    from pt2e_kit.reports.adjusted import standing

    stands = standing(where, assignment)
    tell_of_nobody(stands.nobody)
    if json:
        console.say_json(stands.rows)
        return
    columns: list[Any] = [_("student"), _("state"), (_("score"), "right"), (_("of"), "right"), _("stale"), _("remarks")]
    cells: list[list[Any]] = [
        [r["student_id"], r["state"], number(r["score"]), number(r["max_score"]), r["stale"], r["remarks"]]
        for r in stands.rows
    ]
    if stands.adjustments:
        columns[4:4] = [(_("adjusted"), "right"), (_("of"), "right"), _("why")]
        for row, r in zip(cells, stands.rows, strict=True):
            row[4:4] = [number(r["adjusted"]), number(r["adjusted_max"]), r["why"]]
    console.stdout().print(console.table(columns, cells))


def tell_of_nobody(students: list[str]) -> None:
    """Say whom adjustments.toml names in vain: perhaps a name is misspelt."""
    if students:
        text = _("adjustments.toml names students who have handed in nothing: {names}")
        console.complain(text.format(names=", ".join(students)))


def _state_or_score(value: Any) -> str:
    if value is None:
        return "–"
    return value if isinstance(value, str) else f"{number(value[0])}/{number(value[1])}"
