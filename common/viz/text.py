"""A View in words: one line a node, ``conv2d ← x, ‹conv_weight›``."""

from common.i18n import _
from common.viz.labels import clean, clip, count_words, says_name
from common.viz.picture import PictureNode
from common.viz.view import Shape, View


def text_of(view: View) -> str:
    """Return a View as lines, in graph order. Marks in front: ``✗`` wrong, ``+`` new, ``-`` gone in the next stage."""
    names = {s.id: _name(s) for s in view.shapes}
    lines = []
    for shape in view.shapes:
        if shape.node is None:
            continue
        arrows = [a for a in view.arrows if a.head == shape.id]
        sources = [("✗ " if a.wrong else "") + names[a.tail] for a in arrows if not a.absent]
        sources += [f"‹{clip(p)}›" for p in shape.params]
        sources += [_("✗ {name} (this edge is missing)").format(name=names[a.tail]) for a in arrows if a.absent]
        line = _marks(shape) + _what(shape.node)
        lines.append(line + (f" ← {', '.join(sources)}" if sources else ""))
        if any(a.tail == shape.id and a.faint for a in view.arrows):
            lines[-1] += " → …"
        if shape.note:
            lines.append(f"    ✎ {clean(shape.note)}")
    return "\n".join(lines)


def _name(shape: Shape) -> str:
    if shape.node is None:
        return "…"
    return f"‹{clip(shape.node.name)}›" if shape.node.kind == "parameter" else clip(shape.node.name)


def _marks(shape: Shape) -> str:
    return "✗ " * shape.wrong + "+ " * shape.new + "- " * shape.dashed


def _what(node: PictureNode) -> str:
    details = [clip(d, 60) for d in node.details]
    if node.kind == "parameter":
        return ", ".join([f"‹{clip(node.name)}›", *details])
    if not says_name(node.name, node.label) and node.kind not in ("output", "missing"):
        details = [clip(node.label), *details]
    if node.kind == "input":
        details = [_("input"), *details]
    return clip(node.name) + (f": {', '.join(details)}" if details else "")


def summary(view: View) -> str:
    """Return a short text in place of the picture: how many nodes, and the first of them by name."""
    nodes = [clip(s.node.name) for s in view.shapes if s.node is not None]
    shown = ", ".join(nodes[:8]) + (", …" if len(nodes) > 8 else "")
    return _("graph of {count}: {names}").format(count=count_words(len(nodes)), names=shown)
