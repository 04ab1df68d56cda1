"""ExecuTorch with XNNPACK as the lessons and their exercises use it; everything loads executorch when it is called."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from common.i18n import _
from common.platform_checks import PARTS, missing_parts

if TYPE_CHECKING:
    import torch
    from torch import fx


def available() -> bool:
    """Whether executorch is installed, in a version that fits."""
    return not missing_parts(("executorch",))


def would_show(what: str) -> str:
    """Return a sentence for a cell that has nothing to show without executorch."""
    return _("Without executorch there is nothing to run here. To get it: {how}. This cell would show {what}.").format(
        how=PARTS["executorch"].how, what=what
    )


@contextmanager
def quiet_native() -> Iterator[None]:
    """Silence what native code writes to the process's stderr, past Python: ExecuTorch's runtime does so at its start."""
    kept, nowhere = os.dup(2), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)


def lower(gm: "torch.nn.Module", example: "tuple[torch.Tensor, ...]", *, partitioner: bool = True) -> Any:
    """Return the edge program of a net or graph, with its batch fixed to the example's, delegated to XNNPACK."""
    import torch
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    with quiet_native():
        exported = torch.export.export(gm, example)
        return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()] if partitioner else [])


def pte_bytes(gm: "torch.nn.Module", example: "tuple[torch.Tensor, ...]") -> bytes:
    """Return a net or graph as a .pte file."""
    program = lower(gm, example)
    with quiet_native():
        return bytes(program.to_executorch().buffer)


def is_op(node: "fx.Node") -> bool:
    """Whether a node of an edge program computes something: no delegate call, no getitem, no allocation."""
    return node.op == "call_function" and "OpOverload" in type(node.target).__name__


def delegated_graphs(program: Any) -> "list[fx.GraphModule]":
    """Return the graphs that went into the delegates of an exported program, one for each call, in order."""
    owner = program.graph_module
    calls = [n for n in program.graph.nodes if n.op == "call_function" and "call_delegate" in n.name]
    return [getattr(owner, str(n.args[0].target)).original_module.graph_module for n in calls]
