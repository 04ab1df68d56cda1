"""The words on a node, in the same order for all renderers: short, and free of control characters."""

import re
import textwrap
import unicodedata
from dataclasses import dataclass

from common.i18n import _
from common.viz.view import Shape

LONGEST = 44
"""Characters of a line on a node; a longer name loses its middle."""
NOTE_WIDTH, NOTE_LINES = 34, 6


@dataclass(frozen=True)
class Line:
    """One line on a node; `role` is ``main``, ``name``, ``detail``, ``param`` or ``note``."""

    role: str
    text: str


def clean(text: object) -> str:
    """Return text without control, bidirectional and other invisible characters; white space becomes one space.

    XML forbids most of them, and the others could make a submitted name look like another one.
    """
    kept = (c if not unicodedata.category(c).startswith(("C", "Z")) else " " for c in str(text))
    return re.sub(" +", " ", "".join(kept)).strip()


def clip(text: object, longest: int = LONGEST) -> str:
    """Return clean text of at most `longest` characters, its middle replaced by '…' where it was longer."""
    text = clean(text)
    if len(text) <= longest:
        return text
    tail = longest // 3
    return f"{text[: longest - tail - 1]}…{text[-tail:]}"


def says_name(name: str, label: str) -> bool:
    """Whether a node's name already says its op: ``conv2d_1`` does for ``conv2d``."""
    return re.fullmatch(rf"{re.escape(label)}(_\d+)?", name) is not None


def lines_of(shape: Shape) -> list[Line]:
    """Return what stands on a node; '…' has one line."""
    node = shape.node
    if node is None:
        return [Line("main", "…")]
    named = says_name(node.name, node.label)
    if node.kind == "parameter":
        lines = [Line("main", f"‹{clip(node.name)}›")]
    else:
        lines = [Line("main", clip(node.name if named else node.label))]
        if not named and node.kind not in ("output", "missing"):
            lines.append(Line("name", clip(node.name)))
    lines += [Line("detail", clip(d, 60)) for d in node.details]
    lines += [Line("param", f"‹{clip(p)}›") for p in shape.params]
    for i, text in enumerate(note_lines(shape.note)):
        lines.append(Line("note", text if i else f"✎ {text}"))
    if shape.wrong:
        lines[0] = Line("main", f"✗ {lines[0].text}")
    return [line for line in lines if line.text]


def note_lines(note: str) -> list[str]:
    """Wrap a note: its own line breaks stay, long lines are broken, a very long note is cut."""
    if not note:
        return []
    lines = [w for part in str(note).splitlines() for w in _wrap(clean(part))]
    return lines if len(lines) <= NOTE_LINES else [*lines[: NOTE_LINES - 1], "…"]


def _wrap(text: str) -> list[str]:
    # Wide characters (CJK) take two places and have no spaces to break at.
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    width = NOTE_WIDTH // 2 if wide > len(text) // 2 else NOTE_WIDTH
    return textwrap.wrap(text, width)


def count_words(n: int) -> str:
    """Return ``"1 node"`` or ``"7 nodes"``."""
    return _("1 node") if n == 1 else _("{n} nodes").format(n=n)
