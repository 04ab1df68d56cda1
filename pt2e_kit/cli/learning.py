"""`start`, `lab`, `check`, `watch`, `progress`: for whoever does the exercises."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console

CourseFolder = Annotated[
    Path | None, typer.Option("--course", help=_("The course's folder; else the one you are in, or this checkout."))
]
To = Annotated[Path | None, typer.Option("--to", help=_("Your folder; work/MODULE in the course's if none is given."))]
Hidden = Annotated[bool, typer.Option("--hidden", help=_("Try the hidden cases of source/ too."))]
Json = Annotated[bool, typer.Option("--json", help=_("Print JSON, for other programs."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(start)
    commands.command()(lab)
    commands.command()(check)
    commands.command()(watch)
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
    from pt2e_kit.learning.starting import shown

    if fresh:
        console.say(_("ready: {path}").format(path=shown(path)))
    else:
        text = _("there already, and left as it is: {path} (--again puts a fresh one beside it)")
        console.say(text.format(path=shown(path)))


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


def check(
    notebook: Annotated[Path, typer.Argument(help=_("Your notebook. It is only read."))],
    hidden: Hidden = False,
    why: Annotated[bool, typer.Option("--why", help=_("Name the wrong idea behind each finding."))] = False,
    hint: Annotated[
        int, typer.Option("--hint", min=0, help=_("Show so many hints for the exercise that comes next."))
    ] = 0,
    json: Json = False,
    course: CourseFolder = None,
) -> None:
    """Check all exercises of a notebook, as your instructor's grading does, and say what went wrong.

    The notebook is run afresh, from top to bottom. Exit code 0: every exercise is solved; 1: some are not.

    Example: pt2e-kit check work/m02_by_hand/m02_2_observers_by_hand.ipynb --why --hint 1
    """
    from pt2e_kit.learning import checking, starting, telling

    root = starting.course_folder(course)
    with console.progress(_("checking")) as bar:
        bar.add_task(_("checking"), total=None)
        checked = checking.check_notebook(root, notebook, hidden=hidden)
    checking.record_all(checked)
    if json:
        notes = [note.as_dict() for note in checked.notes]
        told = {"lesson": checked.lesson.id, "hidden": hidden, "solved": checked.solved, "notes": notes}
        console.say_json(told | {"exercises": checked.verdicts})
        raise typer.Exit(0 if checked.solved else 1)
    lines = telling.overview(checked)
    wrong = [verdict for verdict in checked.verdicts if not verdict["passed"] and not telling.is_no_try(verdict)]
    for verdict in wrong:
        lines += ["", *telling.findings(verdict, why=why)]
    to_do = checked.to_do()
    if hint and to_do:
        lines += ["", *telling.hints(to_do["id"], hint)]
    solution = checking.solution_of(root, checked.lesson)
    lines += ["", *telling.closing(checked, solution)]
    if not why and any(finding["why"] for verdict in wrong for finding in verdict["findings"]):
        lines.append(_("--why names the wrong ideas, and --hint 1 gives a hint."))
    for line in lines:
        console.say(line)
    raise typer.Exit(0 if checked.solved else 1)


def watch(
    notebook: Annotated[Path, typer.Argument(help=_("Your notebook. It is only read."))],
    hidden: Hidden = False,
    course: CourseFolder = None,
) -> None:
    """Check a notebook whenever you save it; one key each for a hint, why, run again, list and quit.

    Work in JupyterLab as usual and keep a terminal with this beside it. Without a terminal it prints only.

    Example: pt2e-kit watch work/m02_by_hand/m02_2_observers_by_hand.ipynb
    """
    import contextlib

    from pt2e_kit.learning import starting, watching

    root = starting.course_folder(course)
    with contextlib.suppress(KeyboardInterrupt), watching.keyboard() as key:
        interactive = key is not watching.no_key
        watching.Watcher(root, notebook, hidden=hidden, say=_say_now, key=key, interactive=interactive).run()


def _say_now(line: str) -> None:
    """Print at once, also into a pipe: whoever reads it waits for it."""
    console.say(line)
    sys.stdout.flush()


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
