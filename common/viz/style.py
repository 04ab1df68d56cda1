"""Colours and shapes by kind. Fills from the Okabe–Ito palette: told apart by colour-blind readers, and by shape.

Text on a fill is always dark, so it reads the same in a light and in a dark theme; a node without fill takes
the page's own text colour.
"""

from dataclasses import dataclass

from common.viz.view import Arrow, Shape

DARK_TEXT = "#111111"
GREEN = "#009E73"
VERMILLION = "#D55E00"


@dataclass(frozen=True)
class Look:
    """Outline of a kind (`outlines.py` draws those that dot lacks), brackets in Mermaid's words, fill (empty: none)."""

    outline: str
    mermaid: tuple[str, str]
    fill: str = ""


_OP = Look("box", ("[", "]"))
_END = Look("ellipse", ("(", ")"))
LOOKS = {
    "input": _END,
    "output": _END,
    "parameter": _END,
    "op": _OP,
    "module": Look("component", ("[[", "]]")),
    "missing": _OP,
    "observer": Look("stadium", ("([", "])"), "#56B4E9"),
    "fake_quant": Look("hexagon", ("{{", "}}"), "#CC79A7"),
    # Narrower where the data goes out, as values become coarser; dequantize the other way round.
    "quantize": Look("narrowing", ("[\\", "/]"), "#E69F00"),
    "dequantize": Look("widening", ("[/", "\\]"), "#F0E442"),
}


def look_of(shape: Shape) -> Look:
    """Return the look of a node's kind ('…' looks like an op)."""
    return _OP if shape.node is None else LOOKS[shape.node.kind]


def frame(shape: Shape) -> tuple[str, float, bool]:
    """Return ``(colour or "", width, dashed)`` of a node's frame."""
    dashed = shape.dashed or shape.node is None or shape.node.kind == "missing"
    if shape.wrong:
        return VERMILLION, 4.0, dashed
    if shape.new:
        return GREEN, 4.0, dashed
    return "", 2.2 if shape.dashed else 1.0, dashed


def stroke(arrow: Arrow) -> tuple[str, float, bool]:
    """Return ``(colour or "", width, dashed)`` of an edge."""
    return (VERMILLION if arrow.wrong else "", 3.0 if arrow.wrong else 1.0, arrow.faint or arrow.absent)
