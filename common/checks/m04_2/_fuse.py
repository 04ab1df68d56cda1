"""Chains of ops that a chip computes in one step, found in a graph."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from torch import fx

CONV = "aten.conv2d.default"
NORM = "aten.batch_norm.default"
RELUS = ("aten.relu.default", "aten.relu_.default")


def op(name: str) -> Any:
    """Return the op of a name such as ``aten.relu.default``."""
    import torch

    namespace, packet, overload = name.split(".")
    return getattr(getattr(getattr(torch.ops, namespace), packet), overload)


def only_reader(node: Any) -> Any:
    """The one reader of a node, or None if there are none or several."""
    return next(iter(node.users)) if len(node.users) == 1 else None


def groups(gm: "fx.GraphModule") -> list[tuple[str, ...]]:
    """Names of conv, batch norm, relu (one of the last two may be missing) that are each other's only readers."""
    found: list[tuple[str, ...]] = []
    for node in gm.graph.nodes:
        if node.op != "call_function" or str(node.target) != CONV:
            continue
        chain, last = [node.name], node
        for targets in ((NORM,), RELUS):
            reader = only_reader(last)
            if reader is not None and str(reader.target) in targets and reader.args[0] is last:
                chain.append(reader.name)
                last = reader
        if len(chain) > 1:
            found.append(tuple(chain))
    return found


def chain_at(node: Any, pattern: Sequence[str], one_reader: bool = True) -> list[Any] | None:
    """The nodes of a pattern (targets, in order) that begins at this node, or None."""
    if str(node.target) != pattern[0]:
        return None
    chain = [node]
    for target in pattern[1:]:
        last = chain[-1]
        if one_reader and len(last.users) != 1:
            return None
        reader = next((u for u in last.users if str(u.target) == target), None)
        if reader is None:
            return None
        chain.append(reader)
    return chain


def matches(gm: "fx.GraphModule", patterns: Sequence[Sequence[str]]) -> list[list[Any]]:
    """The chains that fit a pattern: in graph order, the longest pattern first, each node once."""
    used: set[Any] = set()
    found: list[list[Any]] = []
    for node in gm.graph.nodes:
        if node.op != "call_function":
            continue
        for pattern in sorted(patterns, key=len, reverse=True):
            chain = chain_at(node, pattern)
            if chain is not None and not used & set(chain):
                used |= set(chain)
                found.append(chain)
                break
    return found
