"""`demo`: a class of a dozen submissions, graded."""

from pathlib import Path
from typing import Annotated

import typer

from common.i18n import _


def register(commands: typer.Typer) -> None:
    """Add this group's commands."""
    commands.command()(demo)


def demo(
    folder: Annotated[Path, typer.Option(help=_("Where to put the class; made anew each time."))] = Path("demo-class"),
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help=_("Submissions graded at the same time."))] = 2,
) -> None:
    """Grade a made-up class and show scores, states and the commonest misconceptions.

    Everything is written into a folder of its own: gradebook, feedback pages, results.

    Example: pt2e-kit demo --folder /tmp/class
    """
    from pt2e_kit.demo import run_demo

    raise typer.Exit(run_demo(folder, jobs=jobs))
