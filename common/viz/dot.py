"""A View as SVG, drawn by graphviz's program `dot` and rewritten to suit a notebook page.

What dot writes is parsed and written anew: no ids (many pictures stand on one page), no comments or doctype, no
white background, and `currentColor` instead of black, so that the page's theme decides.
"""

import html
import subprocess
from xml.etree import ElementTree as ET

import graphviz

from common.viz.labels import Line, lines_of
from common.viz.outlines import CUSTOM, margin, path
from common.viz.style import DARK_TEXT, frame, look_of, stroke
from common.viz.view import Shape, View

SECONDS = 20
"""A picture that takes dot longer than this is given up (a hostile graph can take hours)."""

FONT = "Helvetica,Arial,sans-serif"
_SVG = "http://www.w3.org/2000/svg"
_SIZES = {"main": "13", "name": "10", "detail": "11", "param": "11", "note": "11"}
_KEPT = frozenset({
    "viewBox", "width", "height", "transform", "points", "d", "cx", "cy", "rx", "ry", "x", "y", "text-anchor",
    "font-size", "font-weight", "font-style", "fill", "stroke", "stroke-width", "stroke-dasharray",
})  # fmt: skip


class DotFailed(RuntimeError):
    """dot is missing, refused the graph, or took too long: the caller draws another way."""


def dot_source(view: View) -> str:
    """Return a View in dot's language."""
    g = graphviz.Digraph()
    g.attr("graph", rankdir=view.rankdir, bgcolor="transparent", nodesep="0.3", ranksep="0.32", pad="0.06")
    g.attr("node", fontname=FONT, fontsize="13", height="0.3", width="0.4", margin="0.12,0.06")
    g.attr("edge", fontname=FONT, fontsize="13", arrowsize="0.7")
    # dot places from left to right what it meets first. Exported graphs list weights first; a reader looks for the
    # data on the left.
    read = {a.head for a in view.arrows}
    for shape in sorted(view.shapes, key=lambda s: bool(s.params) and s.id not in read):
        g.node(shape.id, **_node_attributes(shape, view.rankdir))
    for arrow in view.arrows:
        colour, width, dashed = stroke(arrow)
        attributes = {"penwidth": f"{width:g}"} if width != 1 else {}
        if dashed:
            attributes["style"] = "dashed"
        if arrow.wrong:
            attributes |= {"color": colour, "label": " ✗", "fontcolor": colour, "arrowsize": "0.9"}
        g.edge(arrow.tail, arrow.head, **attributes)
    return g.source


def _node_attributes(shape: Shape, rankdir: str) -> dict[str, str]:
    look = look_of(shape)
    colour, width, dashed = frame(shape)
    styles = ["filled"] * bool(look.fill) + ["dashed"] * dashed
    attributes = {"label": _html_label(lines_of(shape)), "shape": look.outline, "penwidth": f"{width:g}"}
    if look.outline in CUSTOM:
        attributes |= {"shape": "box", "margin": margin(look.outline, rankdir)}
    if look.outline == "ellipse":
        attributes["margin"] = "0.02,0"
    if look.outline == "component":
        attributes["margin"] = "0.2,0.06"
    if styles:
        attributes["style"] = ",".join(styles)
    if look.fill:
        attributes |= {"fillcolor": look.fill, "fontcolor": DARK_TEXT}
    if colour:
        attributes["color"] = colour
    return attributes


def _html_label(lines: list[Line]) -> str:
    return f"<{'<BR/>'.join(_html_line(line) for line in lines)}>"


def _html_line(line: Line) -> str:
    text = html.escape(line.text)
    if line.role == "main":
        return f"<B>{text}</B>"
    text = f"<I>{text}</I>" if line.role in ("param", "note") else text
    return f'<FONT POINT-SIZE="{_SIZES[line.role]}">{text}</FONT>'


def run_dot(source: str) -> str:
    """Return the SVG that dot makes of its own language.

    Raises:
        DotFailed: no dot on the path, an error of dot, or no answer in time.
    """
    try:
        done = subprocess.run(["dot", "-Tsvg"], input=source.encode(), capture_output=True, timeout=SECONDS, check=True)
    except (OSError, subprocess.SubprocessError) as e:
        raise DotFailed(str(e)) from e
    return done.stdout.decode()


def svg_of(view: View) -> ET.Element:
    """Return the picture of a View as an svg element, its width and height in points.

    Raises:
        DotFailed: see `run_dot`.
    """
    try:
        root = ET.fromstring(run_dot(dot_source(view)))
    except ET.ParseError as e:
        raise DotFailed(str(e)) from e
    outlines = {s.id: look_of(s).outline for s in view.shapes if look_of(s).outline in CUSTOM}
    for group in root.iter(f"{{{_SVG}}}g"):
        if group.get("class") == "node":
            _redraw(group, outlines.get(group.findtext(f"{{{_SVG}}}title", ""), ""), view.rankdir)
    return _tidy(root)


def _redraw(group: ET.Element, outline: str, rankdir: str) -> None:
    """Set the lines of a node around its middle, and replace its box by its outline, if it has one of our own.

    dot places each line by its left end, with the widths of its own fonts: the browser's fonts differ.
    """
    middle = None
    for part in group:
        if _tag(part) == "ellipse":
            middle = part.get("cx")
        elif _tag(part) == "polygon" and middle is None:
            corners = [tuple(map(float, pair.split(","))) for pair in part.get("points", "").split()]
            xs, ys = [c[0] for c in corners], [c[1] for c in corners]
            middle = f"{(min(xs) + max(xs)) / 2:g}"
            if outline:
                part.tag = f"{{{_SVG}}}path"
                part.set("d", path(outline, (min(xs), min(ys), max(xs), max(ys)), rankdir))
                del part.attrib["points"]
        elif _tag(part) == "text" and middle is not None:
            part.attrib |= {"x": middle, "text-anchor": "middle"}


def _tidy(element: ET.Element) -> ET.Element:
    tag = _tag(element)
    new = ET.Element(tag, {k: v for k, v in element.attrib.items() if k in _KEPT})
    for key in ("fill", "stroke"):
        if new.get(key) == "black":
            new.set(key, "currentColor")
    if "stroke-dasharray" in new.attrib and "stroke-width" in new.attrib:
        new.set("stroke-dasharray", "9,5")  # dot's dashes are made for thin lines: on a thick one they look like dots
    if tag == "text":
        new.text = element.text
        new.set("fill", new.get("fill", "currentColor"))
    for child in element:
        background = _tag(child) == "polygon" and child.get("stroke") in ("transparent", "none")
        if _tag(child) == "title" or background:
            continue
        tidy = _tidy(child)
        if tidy.tag == "g" and not tidy.attrib:
            new.extend(tidy)  # a group around each node is of no use without its id
        else:
            new.append(tidy)
    return new


def _tag(element: ET.Element) -> str:
    return element.tag.removeprefix(f"{{{_SVG}}}")


def size_of(svg: ET.Element) -> tuple[float, float]:
    """Return width and height of an svg element in points."""
    width, height = (float(svg.get(k, "0").removesuffix("pt")) for k in ("width", "height"))
    return width, height


def side_by_side(svgs: list[ET.Element], labels: list[str], columns: int = 2) -> ET.Element:
    """Return one svg that shows several at the same scale, `columns` a row, each under its label."""
    gap, head = 28.0, 26.0
    rows = [list(zip(svgs, labels, strict=True))[i : i + columns] for i in range(0, len(svgs), columns)]
    # About 8 points a character of a bold label, so that a long label is not cut off.
    widths = [
        max(max(size_of(row[c][0])[0], 8 * len(row[c][1]) + 4) for row in rows if c < len(row))
        for c in range(min(columns, len(svgs)))
    ]
    total = sum(widths) + gap * (len(widths) - 1)
    outer, top = ET.Element("svg"), 0.0
    for row in rows:
        left = 0.0
        for (svg, label), width in zip(row, widths, strict=False):
            text = ET.SubElement(outer, "text", {"x": f"{left + width / 2:g}", "y": f"{top + 15:g}"})
            text.attrib |= {"text-anchor": "middle", "font-size": "14", "font-weight": "bold", "fill": "currentColor"}
            text.text = label
            inner_width, inner_height = size_of(svg)
            svg.attrib |= {"x": f"{left + (width - inner_width) / 2:g}", "y": f"{top + head:g}"}
            svg.attrib |= {"width": f"{inner_width:g}", "height": f"{inner_height:g}"}
            outer.append(svg)
            left += width + gap
        top += head + max(size_of(svg)[1] for svg, _label in row) + gap
    outer.attrib |= {"width": f"{total:g}pt", "height": f"{top - gap:g}pt", "viewBox": f"0 0 {total:g} {top - gap:g}"}
    return outer


def to_text(svg: ET.Element) -> str:
    """Write an svg element out. One text a line: where a page drops the tags, the labels stay apart."""
    svg.attrib |= {"xmlns": _SVG, "font-family": FONT}
    for text in svg.iter("text"):
        text.tail = "\n"
    return ET.tostring(svg, encoding="unicode")
