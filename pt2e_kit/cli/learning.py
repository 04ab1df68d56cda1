"""`start`, `lab`, `progress`: for whoever does the exercises."""

from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console

CourseFolder = Annotated[
    Path | None, typer.Option("--course", help=_("The course's folder; else the one you are in, or this checkout."))
]
To = Annotated[Path | None, typer.Option("--to", help=_("Your folder; work/MODULE in the course's if none is given."))]
Json = Annotated[bool, typer.Option("--json", help=_("Print JSON, for other programs."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(start)
    commands.command()(lab)
    commands.command()(progress)


def start(
    lesson: Annotated[str, typer.Argument(help=_("A lesson, such as m02_2, or a module, such as m02_by_hand."))],
    to: To = None,
    again: Annotated[
        bool, typer.Option("--again", help=_("Put a fresh notebook beside one that is there already."))
    ] = False,
    course: CourseFolder = None,
) -> None:
    """Give you a fresh notebook of a lesson, in a folder of your own. Nothing is overwritten, ever.

    Example: pt2e-kit start m02_2
    """
    from pt2e_kit.learning import starting

    for started in starting.start(starting.course_folder(course), lesson, to, again=again):
        _say_started(started.path, started.fresh)


def _say_started(path: Path, fresh: bool) -> None:
    if fresh:
        console.say(_("ready: {path}").format(path=shown(path)))
    else:
        text = _("there already, and left as it is: {path} (--again puts a fresh one beside it)")
        console.say(text.format(path=shown(path)))


def shown(path: Path) -> str:
    """A path as short as it can be typed from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def lab(
    lesson: Annotated[
        str | None, typer.Argument(help=_("A lesson, such as m02_2; else the one where you stopped last time."))
    ] = None,
    to: To = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help=_("Open a browser as well."))] = True,
    port: Annotated[int | None, typer.Option(help=_("The port of JupyterLab's server."))] = None,
    course: CourseFolder = None,
) -> None:
    """Open JupyterLab on your notebook of a lesson, and start one where you have none yet. Ctrl-C ends it.

    Example: pt2e-kit lab m02_2
    """
    from common.exercise.overview import next_id
    from pt2e_kit.learning import starting

    root = starting.course_folder(course)
    name = lesson or (next_id() or "m00_1").partition(".")[0]
    started, *_others = starting.start(root, name, to.resolve() if to else None)
    if started.fresh:
        _say_started(started.path, True)
    files = to.resolve() if to else root / starting.WORK
    command = starting.lab_command(files, started.path, browser=browser, port=port)
    raise typer.Exit(starting.run_until_closed(command, root))


def progress(
    lesson: Annotated[str | None, typer.Argument(help=_("A lesson, such as m02_2; else all of them."))] = None,
    json: Json = False,
) -> None:
    """Show which exercises you have solved, and which comes next.

    It is kept in your own data folder on this machine (PT2E_KIT_PROGRESS names another file, or is "off").

    Example: pt2e-kit progress m02_2
    """
    from dataclasses import asdict

    from common.exercise.overview import closing_line, next_id, progress_table, standings
    from common.exercise.progress import progress_file

    if json:
        lessons = {i: [asdict(s) for s in exercises] for i, exercises in standings(lesson).items()}
        file = progress_file()
        console.say_json({"file": str(file) if file else None, "next": next_id(), "lessons": lessons})
        return
    titles, rows = progress_table(lesson)
    console.stdout().print(console.table(titles, rows))
    console.say(closing_line())
