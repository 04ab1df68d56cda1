"""`collect`: from a download of a learning management system into submitted/."""

from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(collect)


def collect(
    assignment: Annotated[str, typer.Argument(help=_("The assignment: a folder of source/, such as m02_by_hand."))],
    path: Annotated[
        Path, typer.Argument(help=_("The download: a zip, tar or tar.gz, or the folder it was unpacked to."))
    ],
    system: Annotated[
        str,
        typer.Option(
            "--from",
            help=_(
                "Where it is from: moodle, canvas, blackboard, sakai, ilias, auto (any of the first four), or a regular "
                "expression with the named groups student_id, file_id and perhaps timestamp."
            ),
        ),
    ] = "auto",
    students: Annotated[
        Path | None,
        typer.Option(help=_("Table (CSV) of who is who: a column student_id, and others with numbers or names.")),
    ] = None,
    timezone: Annotated[
        str | None,
        typer.Option(help=_("Zone of times that name none, such as Europe/Berlin; else c.Exchange.timezone, if set.")),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help=_("Say what would be done, and write nothing."))] = False,
    replace: Annotated[
        bool,
        typer.Option("--replace", help=_("Take the place of different submissions; keep them in submitted/.replaced.")),
    ] = False,
    course: Annotated[Path | None, typer.Option(help=_("The course's folder; else the one you are in."))] = None,
) -> None:
    """Bring a download from Moodle, Canvas, Blackboard, Sakai or ILIAS into submitted/.

    Writes submitted/STUDENT/ASSIGNMENT with the notebooks, and timestamp.txt where a time is known. What is not clear
    is listed and left: nobody guesses. The same download again changes nothing. Exit code 1: something was left.

    Example: pt2e-kit collect m02_by_hand download.zip --students class.csv --dry-run
    """
    from pt2e_kit.course import Course
    from pt2e_kit.grading.times import configured_zone, named_zone
    from pt2e_kit.lms.collecting import plan_download
    from pt2e_kit.lms.store import carry_out

    where = Course.find(course)
    where.source(assignment)  # a name that is wrong is said first
    zone = named_zone(timezone) if timezone else configured_zone(where.config())
    with plan_download(where, assignment, path, chosen=system, students=students, zone=zone) as plan:
        rows = carry_out(plan, where.root / "submitted", assignment, replace=replace, dry_run=dry_run)
    if not rows:
        console.say(_("there is no file in {path}").format(path=path))
        raise typer.Exit(1)
    columns = [_("student"), _("outcome"), _("handed in"), _("files"), _("name in the download"), _("remarks")]
    table = [[r.student, r.outcome, r.moment or "", " ".join(r.files), r.person, "; ".join(r.remarks)] for r in rows]
    console.stdout().print(console.table(columns, table))
    done = sum(1 for r in rows if r.done)
    console.say(_("submissions: {n}; to look at: {m}").format(n=done, m=len(rows) - done))
    if dry_run:
        console.say(_("this was a dry run: nothing was written"))
    raise typer.Exit(0 if done == len(rows) else 1)
