"""Tables: HTML that suits a light and a dark page, and aligned plain text beside it."""

import html
import unicodedata
from collections.abc import Iterable, Sequence

from common.i18n import _
from common.viz.drawing import PAGE_COLOUR, Shown
from common.viz.labels import clean


class Table(Shown):
    """What `table` returns: `html`, `text`, and the cells as text."""

    def __init__(self, rows: Iterable[Sequence[object]], headers: Sequence[object]) -> None:
        raw = [list(row) for row in rows]
        for i, row in enumerate(raw):
            if len(row) != len(headers):
                raise ValueError(
                    _("table: row {i} has {n} cells, but there are {m} headers").format(i=i, n=len(row), m=len(headers))
                )
        self.headers = [clean(h) for h in headers]
        self.rows = [[clean(_as_text(c)) for c in row] for row in raw]
        columns = list(zip(*raw, strict=True))
        self._right = [_is_numbers(columns[i]) if raw else False for i in range(len(headers))]

    @property
    def html(self) -> str:
        """The table as HTML, in the page's colours."""
        frame = "padding:3px 10px;border:0;border-bottom:1px solid"

        def cell(tag: str, text: str, right: bool, line: str) -> str:
            side = "right" if right else "left"
            return f'<{tag} style="{frame} {line};text-align:{side}">{html.escape(text)}</{tag}>'

        def row(tag: str, cells: list[str], line: str) -> str:
            return "<tr>" + "".join(cell(tag, c, r, line) for c, r in zip(cells, self._right, strict=True)) + "</tr>"

        head = row("th", self.headers, "currentColor")
        body = "".join(row("td", cells, "rgba(128,128,128,.35)") for cells in self.rows)
        return (
            f'<table style="{PAGE_COLOUR};border-collapse:collapse;margin:4px 0">'
            f"<thead>{head}</thead><tbody>{body}</tbody></table>"
        )

    @property
    def text(self) -> str:
        """The table as lines with aligned columns."""
        columns = [[h, *(row[i] for row in self.rows)] for i, h in enumerate(self.headers)]
        widths = [max(map(_width, column)) for column in columns]

        def line(cells: list[str]) -> str:
            padded = (_pad(c, w, r) for c, w, r in zip(cells, widths, self._right, strict=True))
            return "  ".join(padded).rstrip()

        return "\n".join([line(self.headers), "  ".join("-" * w for w in widths), *map(line, self.rows)])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return {"text/html": self.html, "text/plain": self.text}

    def __repr__(self) -> str:
        return self.text


def table(rows: Iterable[Sequence[object]], headers: Sequence[object], *, show: bool = True) -> Table:
    """Show rows as a table and return it. Columns of numbers are set to the right; a float gets 4 digits.

    Raises:
        ValueError: a row has more or fewer cells than there are headers.
    """
    made = Table(rows, headers)
    if show:
        made.show()
    return made


def _as_text(cell: object) -> str:
    if cell is None:
        return "—"
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _is_numbers(cells: Sequence[object]) -> bool:
    return all(isinstance(c, (int, float)) and not isinstance(c, bool) for c in cells)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)


def _pad(text: str, width: int, right: bool) -> str:
    space = " " * (width - _width(text))
    return space + text if right else text + space
