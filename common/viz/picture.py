"""The intermediate form between a graph and its pictures, and how it is made from plain facts.

A `Picture` is what the renderers (dot, Mermaid, text) understand: nodes in graph order, each with the names of
the nodes it reads. It is made

- from an fx.GraphModule by `picture_of` (see `from_graph`), or
- from the JSON facts that a probe recorded by `picture_from_facts`; the names in there come from a submission
  and are not trusted: the renderers escape and shorten them.

A Picture may be wrong in every way a graph can be: a node that reads itself, or a later node, or a name that
no node has (it gets a node of kind ``missing``), a call_module without its module. It is drawn all the same.

Nothing here loads torch.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

from common.i18n import _

KINDS = (
    "input",  # placeholder
    "parameter",  # get_attr: a weight, a bias, a buffer
    "op",  # call_function, call_method
    "module",  # call_module that is neither observer nor fake quant
    "observer",
    "fake_quant",
    "quantize",
    "dequantize",
    "guard",  # torch.export's _guards_fn; never drawn
    "output",
    "missing",  # read by a node, but no node of the graph
)

QUANT_KINDS = frozenset({"observer", "fake_quant", "quantize", "dequantize"})
"""Kinds that quantization puts between two ops."""


@dataclass(frozen=True)
class PictureNode:
    """One node: its name, its kind (one of `KINDS`), and what the picture says about it."""

    name: str
    kind: str
    label: str
    """Short name of what it does: ``conv2d``, ``HistogramObserver``, ``quantize int8``, ``conv.weight``."""
    op: str = ""
    """Short op name to search by (``conv2d``, ``quantize_per_tensor``); same as `label` for most nodes."""
    details: tuple[str, ...] = ()
    """More lines: scale and zero point, switches, what is wrong with the target."""
    inputs: tuple[str, ...] = ()
    """Names of the nodes it reads, in the order of its arguments; a name that it reads twice is there twice."""
    qparam_inputs: frozenset[str] = field(default_factory=frozenset)
    """Inputs that hold scales or zero points: `details` speaks of them already."""


@dataclass(frozen=True)
class Picture:
    """A graph, ready to be drawn: nodes in graph order, their names unique."""

    nodes: tuple[PictureNode, ...]

    def __post_init__(self) -> None:
        names = [n.name for n in self.nodes]
        if len(set(names)) != len(names):
            raise ValueError(_("a Picture needs unique node names; got {names}").format(names=names))

    def by_name(self) -> dict[str, PictureNode]:
        """Return the nodes by name, in graph order."""
        return {n.name: n for n in self.nodes}

    def edges(self) -> Iterator[tuple[str, str]]:
        """Yield ``(producer, consumer)`` for each use, in the order of consumers and their arguments."""
        for node in self.nodes:
            for source in node.inputs:
                yield source, node.name


def short_target(target: str) -> str:
    """Return the short name of a target given as text.

    ``aten.conv2d.default`` → ``conv2d``; ``torch.nn.functional.relu`` → ``relu``; ``_operator.getitem`` → ``getitem``.
    """
    if python_function := re.match(r"<(?:built-in )?(?:function|method) ([\w.]+)", target):
        target = python_function[1]  # str() of a function of Python: <built-in function add>
    target = target.removeprefix("torch.ops.").replace("::", ".")
    parts = target.split(".")
    if len(parts) == 3 and parts[0] not in ("torch", "operator", "_operator", "builtins", "math", "numpy"):
        return parts[1] or target  # namespace.name.overload
    return parts[-1] or target


def node_names(value: object) -> Iterator[str]:
    """Yield the names of nodes referenced in `value` as ``{"node": name}``, at any depth, in order."""
    if isinstance(value, Mapping):
        if isinstance(value.get("node"), str) and len(value) == 1:
            yield value["node"]
        else:
            for item in value.values():
                yield from node_names(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from node_names(item)


def number(value: object) -> str | None:
    """Return a number as a reader wants it (4 significant digits), or None for what is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    if isinstance(value, int):
        return str(value) if abs(value) < 10**9 else f"{float(min(abs(value), 10**300)):.4g}"
    return f"{value:.4g}" if isfinite(value) else str(value)


def qparams_line(scale: object, zero_point: object, axis: object, *, per_channel: bool) -> str | None:
    """Return ``"scale 0.0321, zero point -1"`` or ``"8 scales, axis 0"``, or None where there is nothing to say."""
    scales: Sequence[Any] = scale if isinstance(scale, (list, tuple)) else [scale]
    if per_channel or len(scales) > 1:
        count = _("{n} scales").format(n=len(scales))
        if not isinstance(scale, (list, tuple)):  # recorded without values
            count = _("a scale for each channel")
        elif len(scales) == 1:
            count = _("1 scale")
        where = number(axis)
        return count if where is None else _("{count}, axis {axis}").format(count=count, axis=where)
    if not scales or (shown := number(scales[0])) is None:
        return None
    zeros = zero_point if isinstance(zero_point, (list, tuple)) else [zero_point]
    zero = number(zeros[0]) if zeros else None
    line = _("scale {scale}").format(scale=shown)
    return line if zero is None else _("{line}, zero point {zero}").format(line=line, zero=zero)


def _dtype_in(value: object) -> str | None:
    """Return the first ``torch.<dtype>`` among arguments, without its ``torch.``"""
    if isinstance(value, str):
        name = value.removeprefix("torch.")
        known = name.startswith(("int", "uint", "qint", "quint", "float8")) and len(name) < 24
        return name if value.startswith("torch.") and known else None
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, (list, tuple)) else ()
    return next((found for item in items if (found := _dtype_in(item))), None)


class _FactsReader:
    """Turns facts of nodes into PictureNodes; one reader for one graph."""

    def __init__(self, nodes: Sequence[Mapping[str, Any]], modules: Mapping[str, Any]) -> None:
        self.modules = modules
        self.facts: dict[str, Mapping[str, Any]] = {}
        for n in nodes:
            name = str(n.get("name", "?"))
            # Two nodes of one name cannot come from fx; a hostile file may hold them, and both are drawn.
            while name in self.facts:
                name += "′"
            self.facts[name] = n

    def picture(self) -> Picture:
        found = [self.node(name, f) for name, f in self.facts.items()]
        unknown = dict.fromkeys(s for n in found for s in n.inputs if s not in self.facts)
        lost = [PictureNode(s, "missing", s, "missing", (_("not in the graph"),)) for s in unknown]
        return Picture((*lost, *found))

    def node(self, name: str, facts: Mapping[str, Any]) -> PictureNode:
        op, target = str(facts.get("op", "")), str(facts.get("target", ""))
        inputs = tuple(node_names([facts.get("args", []), facts.get("kwargs", {})]))
        if op == "placeholder":
            return PictureNode(name, "input", name, "input", inputs=inputs)
        if op == "output":
            return PictureNode(name, "output", "output", "output", inputs=inputs)
        if op == "get_attr":
            lost = (_("nothing of this name"),) if facts.get("exists") is False else ()
            return PictureNode(name, "parameter", target or name, target, lost, inputs)
        if op == "call_module":
            return self.call_module(name, target, inputs)
        return self.call(name, short_target(target), facts, inputs)

    def call_module(self, name: str, target: str, inputs: tuple[str, ...]) -> PictureNode:
        module = self.modules.get(target)
        if target.startswith("_guards_fn"):
            return PictureNode(name, "guard", name, name, inputs=inputs)
        if not isinstance(module, Mapping):
            return PictureNode(name, "module", target, target, (_("no module of this name"),), inputs)
        label = str(module.get("type", "?"))
        role = module.get("role") or next((r for r, w in _ROLE_WORDS if w in label), "module")
        if role not in ("observer", "fake_quant"):
            return PictureNode(name, "module", label, label, inputs=inputs)
        line = qparams_line(
            module.get("scale"),
            module.get("zero_point"),
            module.get("ch_axis"),
            per_channel=bool(module.get("per_channel")),
        )
        details = [_("no data yet")] if module.get("seen") is False else [line] if line else []
        if role == "fake_quant" and "fake_quant_on" in module:
            details += [
                _("observer {state}").format(state=_on(module.get("observer_on")))
                + " · "
                + _("fake quant {state}").format(state=_on(module.get("fake_quant_on")))
            ]
        return PictureNode(name, str(role), label, label, tuple(details), inputs)

    def call(self, name: str, short: str, facts: Mapping[str, Any], inputs: tuple[str, ...]) -> PictureNode:
        kind = "op"
        if short.startswith(("quantize_per_", "quantize_affine")):
            kind = "quantize"
        elif short.startswith(("dequantize_per_", "dequantize_affine")):
            kind = "dequantize"
        elif short.startswith("fake_quantize_"):
            kind = "fake_quant"
        if kind in ("op", "fake_quant"):
            return PictureNode(name, kind, short, short, inputs=inputs)
        dtype = _dtype_in([facts.get("args", []), facts.get("kwargs", {})])
        label = f"{kind} {dtype}" if dtype else kind
        args = facts.get("args", [])
        args = list(args) if isinstance(args, (list, tuple)) else []
        kwargs = facts.get("kwargs", {})
        kwargs = kwargs if isinstance(kwargs, Mapping) else {}
        values = [args[i] if i < len(args) else kwargs.get(key) for i, key in _QPARAM_ARGS]
        sources = frozenset(node_names(values[0])) | frozenset(node_names(values[1]))
        per_channel = "per_channel" in short
        line = qparams_line(*(self.value(v) for v in values), per_channel=per_channel)
        return PictureNode(name, kind, label, short, (line,) if line else (), inputs, sources)

    def value(self, value: object) -> object:
        """Return a qparam given as argument: a number as it is, for a get_attr its values or as many blanks."""
        name = next(node_names(value), None)
        if name is None:
            return value
        facts = self.facts.get(name, {})
        if "value" in facts:
            return facts["value"]
        shape = facts.get("shape")
        if isinstance(shape, (list, tuple)) and len(shape) == 1 and isinstance(shape[0], int) and shape[0] < 10**6:
            return [None] * max(shape[0], 0)
        return None


_ROLE_WORDS = (("fake_quant", "FakeQuant"), ("observer", "Observer"))
_QPARAM_ARGS = ((1, "scale"), (2, "zero_point"), (3, "axis"))


def _on(state: object) -> str:
    return "?" if state is None else _("on") if state else _("off")


def picture_from_facts(nodes: Sequence[Mapping[str, Any]], modules: Mapping[str, Any] | None = None) -> Picture:
    """Build a Picture from plain facts of a graph, as a probe records them; any shape of mistake is accepted.

    Args:
        nodes: in graph order, each ``{"name", "op", "target", "args", "kwargs"}`` with `op` and `target` as in fx,
            targets as text (``"aten.conv2d.default"``), and nodes in arguments as ``{"node": name}``, at any depth.
            A dtype is the text ``"torch.int8"``, at any depth. A get_attr may also have ``"shape"`` (list of int) and
            ``"value"`` (a number or list of numbers), so that scales kept in a buffer can be shown, and
            ``"exists": False`` when its target leads nowhere.
        modules: what call_module targets name, each ``{"type": class name}`` and, for observers and fake quants:
            ``"role"`` (``"observer"`` or ``"fake_quant"``; guessed from the type's name when absent),
            ``"seen"`` (False: it has seen no data, so its scale means nothing), ``"scale"`` and ``"zero_point"``
            (number or list), ``"per_channel"`` (bool), ``"ch_axis"``, ``"observer_on"``, ``"fake_quant_on"`` (bool).
            What is absent is not shown, and other keys are ignored. A target that is absent is drawn as
            "no module of this name".
    """
    return _FactsReader(nodes, modules or {}).picture()
