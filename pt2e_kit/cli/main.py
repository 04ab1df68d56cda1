"""The program `pt2e-kit`: its commands, and errors told in words.

Exit codes: 0 all went well (every submission is graded), 1 something is left (some are not), 2 wrong usage.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from common.env import without_iri_grammar
from common.i18n import _
from pt2e_kit.cli import authoring, collecting, demo, exporting, grading, learning, machine, otter, reporting
from pt2e_kit.cli.console import complain

commands = typer.Typer(
    name="pt2e-kit",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for group in (grading, reporting, exporting, collecting, otter, authoring, learning, machine, demo):
    group.register(commands)

USAGE_ERRORS = (LookupError, ValueError, FileNotFoundError, FileExistsError, NotADirectoryError)
"""What was asked for cannot be: the caller can mend it."""


@commands.callback()
def _options(
    debug: Annotated[bool, typer.Option("--debug", help=_("Show where in the code an error came from."))] = False,
) -> None:
    """Do the exercises of the PT2E course, grade its notebooks, and author them.

    Begin with **pt2e-kit doctor** (what this machine has), then **pt2e-kit lab** (do the exercises) or
    **pt2e-kit demo** (a class, graded).
    """


def app(arguments: list[str] | None = None) -> None:
    """Run the command line and exit: the entry point of the program `pt2e-kit`."""
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    # Typer takes --debug before the command only; people write it at the end.
    debug = "--debug" in arguments or bool(os.environ.get("PT2E_KIT_DEBUG"))
    arguments = [a for a in arguments if a != "--debug"]
    _find_own_programs()
    try:
        with without_iri_grammar():
            commands(arguments)
    except Exception as error:
        if debug:
            raise
        sys.exit(_tell(error))


def _find_own_programs() -> None:
    """Put the environment's programs on the path: nbgrader starts `alembic` by name."""
    own = str(Path(sys.executable).parent)
    if own not in os.environ.get("PATH", "").split(os.pathsep):
        os.environ["PATH"] = own + os.pathsep + os.environ.get("PATH", "")


def _tell(error: Exception) -> int:
    """Say in one line what went wrong; return the exit code."""
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}"
    elif isinstance(error, LookupError) and error.args:
        message = str(error.args[0])  # str() of a KeyError puts quotes around its message
    else:
        message = str(error)
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in ("nbgrader", "otter"):
        text = _("this is for instructors and needs {name}: python -m pip install 'pt2e-kit[instructor]'")
        complain(text.format(name=error.name))
        return 1
    if isinstance(error, USAGE_ERRORS):
        complain(message or type(error).__name__)
        return 2
    if isinstance(error, (OSError, RuntimeError)) and message:
        complain(message)
        return 1
    complain(
        _("this is an error of the kit itself: {kind}: {message}. Run it again with --debug, and report it.").format(
            kind=type(error).__name__, message=message
        )
    )
    return 1
