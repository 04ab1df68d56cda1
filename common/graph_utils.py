"""Reading fx graphs: short names, counts, changes, observers, q/dq nodes, and how far two outputs are apart."""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import fx, nn

QDQ_PREFIXES = ("quantized_decomposed.quantize_", "quantized_decomposed.dequantize_")
"""How the names of quantize and dequantize ops begin in a converted graph."""


def short(target: object) -> str:
    """Return the short name of a node's target: ``aten.conv2d.default`` → ``"conv2d"``; a string as it is."""
    if isinstance(target, str):
        return target
    packet = getattr(target, "overloadpacket", None)
    if packet is not None:
        return str(packet).rsplit(".", 1)[-1]
    return getattr(target, "__name__", str(target))


def op_counts(gm: fx.GraphModule) -> Counter[str]:
    """Count the ops (call_function nodes) of a graph by their short name."""
    return Counter(short(n.target) for n in gm.graph.nodes if n.op == "call_function")


def is_observer(module: object) -> bool:
    """Whether a module is an observer or a fake quant of torchao (it computes qparams and sits in the graph)."""
    from common.pt2e import FakeQuantizeBase, ObserverBase

    return isinstance(module, (ObserverBase, FakeQuantizeBase))


def module_of(gm: fx.GraphModule, node: fx.Node) -> nn.Module | None:
    """Return the module that a call_module node calls, or None for other nodes and for a dangling name."""
    if node.op != "call_module":
        return None
    try:
        return gm.get_submodule(str(node.target))
    except AttributeError:
        return None


def observer_nodes(gm: fx.GraphModule) -> list[tuple[fx.Node, Any]]:
    """Return ``(node, observer)`` for each observer or fake quant, in graph order.

    Weights come before placeholders in an exported graph, so weight observers are listed first.
    An observer object that stands at two places is listed twice.
    """
    found = ((n, module_of(gm, n)) for n in gm.graph.nodes)
    return [(n, m) for n, m in found if is_observer(m)]


def splice(gm: fx.GraphModule, node: fx.Node, module: nn.Module, name: str) -> fx.Node:
    """Put `module` behind `node` under `name`, move all consumers of `node` to it, and return the new node.

    The graph is changed in place; call ``gm.recompile()`` after the last change.
    """
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new


def splice_op(gm: fx.GraphModule, node: fx.Node, target: Callable[..., Any], *args: Any) -> fx.Node:
    """Put the op ``target(node, *args)`` behind `node`, move all consumers of `node` to it, and return the new node.

    The graph is changed in place; call ``gm.recompile()`` after the last change.
    """
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new


def qdq_nodes(gm: fx.GraphModule) -> list[fx.Node]:
    """Return the quantize and dequantize nodes, in graph order."""
    return [n for n in gm.graph.nodes if n.op == "call_function" and str(n.target).startswith(QDQ_PREFIXES)]


def sqnr(reference: torch.Tensor, output: torch.Tensor) -> float:
    """Signal-to-quantization-noise ratio in dB: 10 · log10(Σ reference² / Σ (reference − output)²).

    Equal tensors give infinity. Computed in float64. Higher is closer.
    """
    signal = reference.double().square().sum().item()
    noise = (reference.double() - output.double()).square().sum().item()
    if noise == 0:
        return math.inf
    return 10 * math.log10(signal / noise) if signal > 0 else -math.inf


def node_outputs(gm: fx.GraphModule, *inputs: Any) -> dict[str, torch.Tensor]:
    """Run a graph without gradients; return a copy of the tensor that each op (call_function) computed, by node name.

    Copies, because an op that works in place writes into a tensor of an earlier node. Ops that give no tensor
    (``chunk`` gives a list) are left out.
    """
    found: dict[str, torch.Tensor] = {}

    class Recording(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            value = super().run_node(n)
            if n.op == "call_function" and isinstance(value, torch.Tensor):
                found[n.name] = value.clone()
            return value

    with torch.no_grad():
        Recording(gm).run(*inputs)
    return found


def compare(
    reference: Callable[..., torch.Tensor], other: Callable[..., torch.Tensor], inputs: tuple[Any, ...]
) -> Mapping[str, float]:
    """Run two models on the same inputs without gradients; return ``sqnr_db`` and ``max_abs_err``."""
    with torch.no_grad():
        a, b = reference(*inputs), other(*inputs)
    return {"sqnr_db": sqnr(a, b), "max_abs_err": (a - b).abs().max().item()}


def diff_ops(
    a: fx.GraphModule, b: fx.GraphModule, label_a: str = "before", label_b: str = "after"
) -> tuple[list[list[object]], list[str]]:
    """Compare the op counts of two graphs: rows ``[op, count in a, count in b, b − a]``, and the headers of a table.

    Ops whose count changed come first. Show it with ``table(*diff_ops(a, b, "exported", "prepared"))``.
    """
    ca, cb = op_counts(a), op_counts(b)
    rows: list[list[object]] = [[op, ca[op], cb[op], cb[op] - ca[op]] for op in sorted(set(ca) | set(cb))]
    return sorted(rows, key=lambda r: (r[3] == 0, str(r[0]))), ["op", label_a, label_b, "difference"]


def node_changes(before: fx.GraphModule, after: fx.GraphModule) -> dict[str, list[str]]:
    """Compare two graphs node by node: names under ``"added"``, ``"removed"`` and ``"rewired"``, in graph order.

    Nodes with the same name are taken for the same one; it is rewired when it reads other nodes, or the same ones in
    another order. Weights that change under the same name are not seen.
    """
    reads = [{n.name: [i.name for i in n.all_input_nodes] for n in gm.graph.nodes} for gm in (before, after)]
    old, new = reads
    return {
        "added": [name for name in new if name not in old],
        "removed": [name for name in old if name not in new],
        "rewired": [name for name in new if name in old and new[name] != old[name]],
    }
