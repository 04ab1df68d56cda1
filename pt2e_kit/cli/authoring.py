"""`release`, `solutions`, `fmt`, `new-exercise`: for whoever writes lessons."""

from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console

Assignments = Annotated[
    list[str] | None, typer.Argument(help=_("Assignments (folders of source/); all if none is given."))
]
CourseFolder = Annotated[Path | None, typer.Option("--course", help=_("The course's folder; else the one you are in."))]


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(release)
    commands.command()(solutions)
    commands.command()(fmt)
    commands.command("new-exercise")(new_exercise)


def release(assignments: Assignments = None, course: CourseFolder = None) -> None:
    """Make the student versions in release/ from source/: no solutions, no hidden tests.

    Example: pt2e-kit release m02_by_hand
    """
    from pt2e_kit.authoring.release import release as make

    _each(assignments, course, make, _("making student versions"))


def solutions(assignments: Assignments = None, course: CourseFolder = None) -> None:
    """Execute source/ and write what self-learners read into solutions/. A failing cell or check is an error.

    Example: pt2e-kit solutions m02_by_hand
    """
    from pt2e_kit.authoring.solutions import solutions as make

    _each(assignments, course, make, _("executing"))


def _each(assignments: list[str] | None, course: Path | None, make, description: str) -> None:
    from pt2e_kit.course import Course

    where = Course.find(course)
    chosen = assignments or where.assignments()
    for assignment in chosen:
        where.source(assignment)  # all names are looked at before the first is made
    with console.progress(description) as bar:
        task = bar.add_task(description, total=len(chosen))
        for assignment in chosen:
            for path in make(where.root, assignment):
                console.say(path)
            bar.advance(task)


def fmt(
    notebooks: Annotated[
        list[Path] | None, typer.Argument(help=_("Notebooks; all of source/ if none is given."))
    ] = None,
    check: Annotated[
        bool, typer.Option("--check", help=_("Change nothing; exit with 1 if something would change."))
    ] = False,
    course: CourseFolder = None,
) -> None:
    """Bring instructor notebooks into their fixed form: no outputs, readable ids, points as the exercises say.

    Example: pt2e-kit fmt --check
    """
    from pt2e_kit.authoring.fmt import format_files, source_notebooks
    from pt2e_kit.course import Course

    changed = format_files(notebooks or source_notebooks(Course.find(course).root), write=not check)
    for path in changed:
        console.say(
            _("not in the fixed form: {path}").format(path=path) if check else _("formatted {path}").format(path=path)
        )
    raise typer.Exit(1 if check and changed else 0)


def new_exercise(
    lesson: Annotated[str, typer.Argument(help=_("The lesson, such as m02_2."))],
    name: Annotated[str, typer.Argument(help=_("The name of the answer: a function or class, such as fold_bn."))],
    course: CourseFolder = None,
) -> None:
    """Write the skeleton of an exercise: probe and judge, an answers bank, and three cells in the lesson's notebook.

    Nothing is overwritten. The skeleton's tests fail until it is filled in, and say what is missing.

    Example: pt2e-kit new-exercise m02_2 count_observers
    """
    from pt2e_kit.authoring.new_exercise import write_skeleton
    from pt2e_kit.course import Course

    written, notebook = write_skeleton(Course.find(course).root, lesson, name)
    for path in written:
        console.say(_("wrote {path}").format(path=path))
    console.say(_("put three cells into {path}: statement, answer and check").format(path=notebook))
    console.say(_("Fill in each TODO, then run `pt2e-kit fmt` and try it:"))
    console.say(f'python -m pytest tests/test_answers_bank.py tests/test_explained.py -k "{lesson}.{name}"')
    console.say(_("docs/authoring.md goes through an example."))
