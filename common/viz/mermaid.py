"""A View in Mermaid's language: JupyterLab draws it without any program installed."""

import re

from common.viz.labels import Line, lines_of
from common.viz.style import DARK_TEXT, LOOKS, frame, look_of, stroke
from common.viz.view import Shape, View


def mermaid_of(view: View) -> str:
    """Return a View as a Mermaid flowchart, without the fence around it."""
    lines = [f"flowchart {view.rankdir}"]
    lines += [f"  {shape.id}{_bracketed(shape)}" for shape in view.shapes]
    styles: list[str] = []
    for i, arrow in enumerate(view.arrows):
        colour, width, dashed = stroke(arrow)
        line = "-.->" if dashed else "-->"
        lines.append(f"  {arrow.tail} {line}{'|✗|' if arrow.wrong else ''} {arrow.head}")
        if colour:
            styles.append(f"  linkStyle {i} stroke:{colour},stroke-width:{width:g}px")
    return "\n".join([*lines, *styles, *_classes(view)])


def _bracketed(shape: Shape) -> str:
    opening, closing = look_of(shape).mermaid
    return f'{opening}"{"<br/>".join(_line(line) for line in lines_of(shape))}"{closing}'


def _line(line: Line) -> str:
    text = escape(line.text)
    return f"<b>{text}</b>" if line.role == "main" else f"<i>{text}</i>" if line.role in ("param", "note") else text


def escape(text: str) -> str:
    """Escape all that Mermaid, HTML or Markdown could take for their own: as Mermaid's ``#code;`` entities."""
    return re.sub(r"[^\w .,:=+…‹›✗✎·′-]", lambda m: f"#{ord(m[0])};", text)


def _classes(view: View) -> list[str]:
    lines = []
    for kind, look in LOOKS.items():
        members = [s.id for s in view.shapes if s.node is not None and s.node.kind == kind and look.fill]
        if members:
            lines += [f"  classDef {kind} fill:{look.fill},color:{DARK_TEXT},stroke:#555"]
            lines += [f"  class {','.join(members)} {kind}"]
    for shape in view.shapes:
        colour, width, dashed = frame(shape)
        parts = [f"stroke:{colour}"] * bool(colour) + [f"stroke-width:{width:g}px"] * (width != 1)
        parts += ["stroke-dasharray:5 4"] * dashed
        if parts:
            lines.append(f"  style {shape.id} {','.join(parts)}")
    return lines
