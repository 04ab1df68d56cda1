"""`draw` and `draw_stages`: what the lessons call."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Union

from common.i18n import _
from common.viz.drawing import Drawing
from common.viz.from_graph import picture_of
from common.viz.picture import Picture
from common.viz.view import Edge, Style, look, names_to_focus_on, require_known

if TYPE_CHECKING:
    from torch import fx

Graph = Union["fx.GraphModule", Picture]
RANKDIRS = ("TB", "LR", "BT", "RL")


def _picture(graph: Graph) -> Picture:
    return graph if isinstance(graph, Picture) else picture_of(graph)


def draw(
    gm: Graph,
    *,
    focus: str | Iterable[str] | None = None,
    hops: int = 1,
    notes: Mapping[str, str] | None = None,
    title: str | None = None,
    rankdir: str = "TB",
    mark: Iterable[str | Edge] = (),
    new: Iterable[str] = (),
    dashed: Iterable[str] = (),
    show: bool = True,
) -> Drawing:
    """Show a picture of a graph and return it (`.svg`, `.text`, `.html`, `.save(path)`).

    Weights and biases are not drawn as nodes: they stand as ‹name› on the node that reads them, unless they are
    named in one of the arguments below. `_guards_fn` is left out.

    Args:
        gm: an fx.GraphModule, or a Picture (see `common.viz.picture`); it may be broken.
        focus: draw these nodes only: names of nodes, else short names of ops (``"conv2d"``), else kinds
            (``"observer"``). Observers and q/dq nodes that stand between them, or between them and a weight, come
            along. A dashed '…' says that the graph goes on.
        hops: with focus: also the nodes at most this many edges away.
        notes: ``{node name: text}``, written on the node.
        rankdir: direction of the edges: "TB" (down), "LR" (to the right), "BT" or "RL".
        mark: names of nodes, or edges ``(producer, consumer)``, to show as wrong (thick, vermillion, ✗). An edge
            which the graph does not have is drawn dashed, as one that is missing.
        new, dashed: names of nodes to frame in green, or with dashes.
        show: False to make the picture without showing it.

    Raises:
        ValueError: a name that the graph does not have (with names near to it), an unknown rankdir, hops below 0.
    """
    picture = _picture(gm)
    style = _style(mark, new, dashed)
    notes, focus = notes or {}, [focus] if isinstance(focus, str) else focus
    names = list(picture.by_name())
    for given, what in ((notes, "notes"), (style.wrong, "mark"), (style.new, "new"), (style.dashed, "dashed")):
        require_known(given, names, f"draw, {what}")
    require_known([n for edge in sorted(style.wrong_edges) for n in edge], names, "draw, mark")
    if focus is not None:
        focus = list(focus)
        require_known(focus, names_to_focus_on(picture), "draw, focus")
    _check_layout(hops, rankdir)
    view = look(picture, focus=focus, hops=hops, notes=notes, style=style, rankdir=rankdir)
    drawing = Drawing([view], title=title)
    if show:
        drawing.show()
    return drawing


def draw_stages(
    stages: Sequence[tuple[Graph, str]],
    *,
    focus: str | Iterable[str] | None = None,
    hops: int = 1,
    notes: Mapping[str, str] | None = None,
    title: str | None = None,
    rankdir: str = "TB",
    show: bool = True,
) -> Drawing:
    """Show stages of a graph side by side, two a row, and return the picture.

    A node that the stage before did not have gets a thick green frame, a node that the next stage no longer has a
    dashed one. Nodes are compared by name and kind.

    Args:
        stages: ``(graph, label)`` for each stage, in order.
        focus, hops, notes, title, rankdir, show: as in `draw`; a name must be in one stage at least.

    Raises:
        ValueError: no stages; a name that no stage has; an unknown rankdir; hops below 0.
    """
    if not stages:
        raise ValueError(_("draw_stages: there are no stages to draw"))
    pictures = [_picture(graph) for graph, _label in stages]
    notes, focus = notes or {}, [focus] if isinstance(focus, str) else focus
    require_known(notes, [n for p in pictures for n in p.by_name()], "draw_stages, notes")
    if focus is not None:
        focus = list(focus)
        require_known(focus, [n for p in pictures for n in names_to_focus_on(p)], "draw_stages, focus")
    _check_layout(hops, rankdir)
    new, gone = _changes(pictures)
    views = []
    for picture, added, lost in zip(pictures, new, gone, strict=True):
        here = {k: v for k, v in notes.items() if k in picture.by_name()}
        style = Style(new=added, dashed=lost)
        views.append(look(picture, focus=focus, hops=hops, notes=here, style=style, rankdir=rankdir))
    shapes = [s for v in views for s in v.shapes]
    legend = [
        line
        for line, needed in (
            (_("thick green frame (+ in words): not in the stage before"), any(s.new for s in shapes)),
            (_("dashed frame (- in words): gone in the next stage"), any(s.dashed for s in shapes)),
        )
        if needed
    ]
    drawing = Drawing(views, [str(label) for _graph, label in stages], title, legend)
    if show:
        drawing.show()
    return drawing


def _changes(pictures: Sequence[Picture]) -> tuple[list[frozenset[str]], list[frozenset[str]]]:
    """Return, for each stage, the names that the stage before did not have and those that the next no longer has."""
    keys = [{(n.name, n.kind) for n in p.nodes} for p in pictures]
    none: frozenset[str] = frozenset()
    new = [none, *(frozenset(name for name, _kind in b - a) for a, b in pairwise(keys))]
    gone = [*(frozenset(name for name, _kind in a - b) for a, b in pairwise(keys)), none]
    return new, gone


def _style(mark: Iterable[str | Edge], new: Iterable[str], dashed: Iterable[str]) -> Style:
    marked = [mark] if isinstance(mark, str) else list(mark)
    wrong = frozenset(m for m in marked if isinstance(m, str))
    edges = frozenset((m[0], m[1]) for m in marked if not isinstance(m, str))
    return Style(wrong, edges, _names(new), _names(dashed))


def _names(given: str | Collection[str] | Iterable[str]) -> frozenset[str]:
    return frozenset([given] if isinstance(given, str) else given)


def _check_layout(hops: int, rankdir: str) -> None:
    if rankdir not in RANKDIRS:
        raise ValueError(_("rankdir is one of {known}, not {given!r}").format(known=RANKDIRS, given=rankdir))
    if hops < 0:
        raise ValueError(_("hops is 0 or more, not {hops}").format(hops=hops))
