"""What of a Picture is drawn: folded weights, focus and hops, '…' where the graph goes on, notes and marks."""

import difflib
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

from common.i18n import _
from common.viz.picture import QUANT_KINDS, Picture, PictureNode

Edge = tuple[str, str]


@dataclass(frozen=True)
class Style:
    """How some nodes and edges differ from the rest. All by name; edges as (producer, consumer)."""

    wrong: frozenset[str] = frozenset()
    wrong_edges: frozenset[Edge] = frozenset()
    new: frozenset[str] = frozenset()
    dashed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Shape:
    """One drawn node. `node` is None for '…'."""

    id: str
    node: PictureNode | None = None
    params: tuple[str, ...] = ()
    note: str = ""
    wrong: bool = False
    new: bool = False
    dashed: bool = False


@dataclass(frozen=True)
class Arrow:
    """One drawn edge between ids of shapes. `faint`: to or from '…'; `absent`: marked, but not in the graph."""

    tail: str
    head: str
    wrong: bool = False
    faint: bool = False
    absent: bool = False


@dataclass(frozen=True)
class View:
    """What the renderers draw, in graph order."""

    shapes: tuple[Shape, ...]
    arrows: tuple[Arrow, ...]
    rankdir: str = "TB"


def require_known(names: Iterable[str], known: Collection[str], what: str) -> None:
    """Raise a ValueError that lists near names when one of `names` is not among `known`."""
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(str(name), list(known), n=5, cutoff=0.5) or list(known)[:12]
            raise ValueError(
                _("{what}: this graph has no {name!r}. Names to choose from: {near}").format(
                    what=what, name=name, near=", ".join(dict.fromkeys(near))
                )
            )


def names_to_focus_on(picture: Picture) -> list[str]:
    """Return all that `focus` may hold: names of nodes and short names of ops, each once."""
    drawn = [n for n in picture.nodes if n.kind != "guard"]
    return list(dict.fromkeys([*(n.name for n in drawn), *(n.op for n in drawn), *(n.kind for n in drawn)]))


def focus_names(picture: Picture, focus: Iterable[str]) -> list[str]:
    """Return the nodes meant by `focus`: a node of that name, else all nodes of that op or kind."""
    found: list[str] = []
    names = picture.by_name()
    for entry in focus:
        if entry in names and names[entry].kind != "guard":
            found.append(entry)
        else:
            found += [n.name for n in picture.nodes if entry in (n.op, n.kind) and n.kind != "guard"]
    return list(dict.fromkeys(found))


class _Selector:
    """Decides which nodes of one picture are drawn, which are folded into their users, and which are left out."""

    def __init__(self, picture: Picture, keep: Collection[str]) -> None:
        self.nodes = {n.name: n for n in picture.nodes if n.kind != "guard"}
        self.users: dict[str, list[str]] = defaultdict(list)
        for source, user in picture.edges():
            if source in self.nodes and user in self.nodes:
                self.users[source].append(user)
        self.folded = {n for n in self.nodes if n not in keep and self._folds(n)}
        self.visible = {n: node for n, node in self.nodes.items() if n not in self.folded}
        self.inputs = {n: [s for s in node.inputs if s in self.visible] for n, node in self.visible.items()}

    def _folds(self, name: str) -> bool:
        # Also a weight that nobody reads: it has no place in the picture unless the caller speaks of it (`keep`).
        node = self.nodes[name]
        if node.kind != "parameter" or node.inputs or node.details:
            return False
        return all(self.nodes[u].kind != "output" for u in self.users[name])

    def around(self, start: Iterable[str], hops: int) -> set[str]:
        """Return the nodes at most `hops` edges away, and the observers and q/dq nodes that stand between them."""
        chosen = {n for n in start if n in self.visible}
        for _hop in range(hops):
            chosen |= {s for n in chosen for s in self.inputs[n]} | {
                u for n in chosen for u in self.users[n] if u in self.visible
            }
        return chosen | self._between(chosen)

    def _between(self, chosen: set[str]) -> set[str]:
        """Observers, fake quants, q and dq nodes which lead to a chosen node from another one or from a weight."""
        found: set[str] = set()
        for name in chosen:
            for source in self.inputs[name]:
                chain = self._chain(source, chosen)
                found |= chain or set()
        return found

    def _chain(self, name: str, chosen: set[str]) -> set[str] | None:
        """Return the run of quantization nodes that ends in `name`, None when it starts outside of the drawing."""
        chain: set[str] = set()
        while name not in chosen:
            if name in chain or self.nodes[name].kind not in QUANT_KINDS:
                return None
            chain.add(name)
            sources = self.inputs[name]
            if not sources:
                return chain  # only a folded weight in front
            name = sources[0]
        return chain

    def param_names(self, node: PictureNode) -> tuple[str, ...]:
        found = (s for s in node.inputs if s in self.folded and s not in node.qparam_inputs)
        return tuple(dict.fromkeys(parameter_name(self.nodes[s]) for s in found))


def parameter_name(node: PictureNode) -> str:
    """Return the name to show for a get_attr: its own, or its target's when convert gave it a name of an op."""
    flat = node.label.replace(".", "_")
    return node.name if node.name.startswith(flat) else node.label


def look(
    picture: Picture,
    *,
    focus: Iterable[str] | None = None,
    hops: int = 1,
    notes: Mapping[str, str] | None = None,
    style: Style | None = None,
    rankdir: str = "TB",
) -> View:
    """Choose what of `picture` to draw. Names must be known: the callers check, since stages differ in this."""
    style, notes = style or Style(), notes or {}
    in_edges = {n for e in style.wrong_edges for n in e}
    wanted = focus_names(picture, focus) if focus is not None else []
    select = _Selector(picture, {*wanted, *notes, *style.wrong, *in_edges})
    drawn = set(select.visible) if focus is None else select.around([*wanted, *style.wrong, *in_edges], hops)

    ids = {n: f"n{i}" for i, n in enumerate(n for n in select.visible if n in drawn)}
    shapes, arrows = [], []
    for name, node_id in ids.items():
        node = select.visible[name]
        hidden = [s for s in select.inputs[name] if s not in drawn]
        if hidden:
            shapes.append(Shape(f"{node_id}_before"))
            arrows.append(Arrow(f"{node_id}_before", node_id, faint=True))
        shapes.append(
            Shape(
                node_id,
                node,
                select.param_names(node),
                notes.get(name, ""),
                name in style.wrong,
                name in style.new,
                name in style.dashed,
            )
        )
        arrows += [
            Arrow(ids[s], node_id, wrong=(s, name) in style.wrong_edges) for s in select.inputs[name] if s in drawn
        ]
        if any(u in select.visible and u not in drawn for u in select.users[name]):
            shapes.append(Shape(f"{node_id}_after"))
            arrows.append(Arrow(node_id, f"{node_id}_after", faint=True))
    there = Counter(picture.edges())
    arrows += [
        Arrow(ids[a], ids[b], wrong=True, absent=True)
        for a, b in sorted(style.wrong_edges)
        if (a, b) not in there and a in ids and b in ids
    ]
    return View(tuple(shapes), tuple(arrows), rankdir)
