"""Printing: tables on stdout, progress and errors on stderr, and nothing from a submission unescaped."""

import json
import sys
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from common.i18n import _

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress
    from rich.table import Table
    from rich.text import Text

NOT_PRINTED = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories that can steer a terminal or reorder a line: controls, formats (bidi), separators."""


def plain(value: object) -> str:
    """Return text that is safe to print: what could steer a terminal is written as ``\\x1b``.

    Names and messages may come from a submission, and a terminal obeys escape sequences in them.
    """
    return "".join(_visible(c) for c in str(value))


def _visible(character: str) -> str:
    if unicodedata.category(character) not in NOT_PRINTED:
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text(value: object, style: str = "") -> "Text":
    """Return safe text for rich: it is never read as markup."""
    from rich.text import Text

    return Text(plain(value), style=style)


def stdout() -> "Console":
    """The console for results. Lines are not cut where the output is no terminal."""
    from rich.console import Console

    return Console(soft_wrap=not sys.stdout.isatty(), highlight=False, width=None if sys.stdout.isatty() else 200)


def stderr() -> "Console":
    """The console for progress and errors."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def complain(message: str) -> None:
    """Say on stderr, in one line, what went wrong."""
    one_line = " ".join(message.split())
    print(f"pt2e-kit: {plain(one_line)}", file=sys.stderr)


def say(message: object) -> None:
    """Print lines on stdout, made safe."""
    for line in str(message).split("\n"):
        print(plain(line))


def say_json(value: Any) -> None:
    """Print plain data as JSON on stdout; non-ASCII is escaped, so it is safe for every terminal."""
    print(json.dumps(value, indent=2, ensure_ascii=True))


def table(columns: Sequence[str | tuple[str, str]], rows: Sequence[Sequence[object]]) -> "Table":
    """Make a table; a column is its title, or (title, "right"). Cells are made safe."""
    from rich import box
    from rich.table import Table

    made = Table(box=box.SIMPLE, pad_edge=False, show_edge=False)
    for column in columns:
        title, side = (column, "left") if isinstance(column, str) else column
        made.add_column(text(title), justify="right" if side == "right" else "left", overflow="fold")
    for row in rows:
        made.add_row(*(cell if hasattr(cell, "spans") else text(cell) for cell in row))  # type: ignore[arg-type]
    return made


@contextmanager
def progress(description: str) -> Iterator["Progress"]:
    """A progress bar on stderr, with the time left (nothing is drawn where stderr is no terminal)."""
    from rich import progress as rich

    console = stderr()
    columns = (
        rich.TextColumn("{task.description}", markup=False),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
        rich.TextColumn(_("left:")),
        rich.TimeRemainingColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        yield bar
