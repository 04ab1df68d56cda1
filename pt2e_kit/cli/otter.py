"""`otter`: test files for students and autograder zips, for otter-grader and Gradescope."""

from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.cli.grading import NoSandboxOption, SeedFile


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(otter)


def otter(
    assignment: Annotated[str, typer.Argument(help=_("The assignment: a folder of source/, such as m02_by_hand."))],
    to: Annotated[Path, typer.Option(help=_("Where to write; one folder for each notebook."))] = Path("for-otter"),
    unsafe_no_sandbox: NoSandboxOption = False,
    seed_file: SeedFile = None,
    course: Annotated[Path | None, typer.Option(help=_("The course's folder; else the one you are in."))] = None,
) -> None:
    """Write the exercises for otter-grader: NOTEBOOK/student/ with tests to hand out, and NOTEBOOK/autograder.zip.

    The zip is for Gradescope, `otter grade` and `otter run`; its scores are those of pt2e-kit grade. It holds hidden
    tests: do not hand it out. With --unsafe-no-sandbox, `otter run` runs submissions where there is no sandbox.

    Example: pt2e-kit otter m02_by_hand --to for-otter
    """
    from pt2e_kit.course import Course
    from pt2e_kit.for_otter.make import make
    from pt2e_kit.settings import read_class_seed

    where = Course.find(course)
    where.source(assignment)  # a name that is wrong is said first
    seed = read_class_seed(seed_file)
    for made in make(where, assignment, to, class_seed=seed, unsafe_no_sandbox=unsafe_no_sandbox):
        for path in (made.student, made.autograder):
            if path is not None:
                console.say(path)
        if made.student is None and made.autograder is None:
            console.say(_("{name}: no exercise, so there is nothing for otter").format(name=made.notebook))
