"""What ran: the op calls that torch's profiler saw, and which of them are kernels.

An op of torch often only hands its work on to another op. What computes is the *kernel*: an op call that calls nothing
but ops that handle memory.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import torch

from common.env import cpu_profile

if TYPE_CHECKING:
    from common.viz import Picture

_MEMORY = """
_empty_affine_quantized _has_compatible_shallow_copy_type _local_scalar_dense _make_per_tensor_quantized_tensor
_nnpack_available _reshape_alias _to_copy _unsafe_view alias as_strided as_strided_ clone contiguous copy_ detach empty empty_like empty_strided expand fill_
flatten is_pinned item lift_fresh new_empty permute q_scale q_zero_point qscheme reshape resize_ resolve_conj
resolve_neg select set_ slice squeeze t to transpose unsqueeze view zero_ zeros
"""

MEMORY_OPS = frozenset(f"aten::{name}" for name in _MEMORY.split())
"""Ops that allocate, view, copy or convert memory. They compute nothing, and kernels use them."""


def profiled(fn: Callable[..., Any], *inputs: torch.Tensor) -> list[Any]:
    """Call `fn` twice without gradients, and return the profiler's events of the second call."""
    with torch.no_grad():
        fn(*inputs)
        with cpu_profile() as prof:
            fn(*inputs)
    return list(prof.events() or [])


def below(event: Any) -> Iterator[Any]:
    """All events inside of an event, at any depth."""
    for child in event.cpu_children:
        yield child
        yield from below(child)


def is_op(event: Any) -> bool:
    """Whether an event is the call of an op (``aten::add``), and not a remark of the profiler or the compiler."""
    return "::" in event.name and " " not in event.name


def kernels_among(events: Iterable[Any]) -> Counter[str]:
    """Count the kernels among events by their name."""

    def computes(event: Any) -> bool:
        return is_op(event) and event.name not in MEMORY_OPS

    return Counter(e.name for e in events if computes(e) and not any(computes(inner) for inner in below(e)))


def kernels(fn: Callable[..., Any], *inputs: torch.Tensor) -> Counter[str]:
    """Count the kernels that a call of `fn` runs, once it is warm."""
    return kernels_among(profiled(fn, *inputs))


def computes_in_int8(name: str) -> bool:
    """Whether an op multiplies or adds integers of 8 bits: a conv, linear, matmul or add of an int8 library."""
    library, _colons, op = name.partition("::")
    if "pack" in op:  # prepack, unpack: the weight is only brought into another order
        return False
    if library == "onednn":
        return op.startswith(("qconv", "qlinear", "qbatch"))
    if library == "quantized":
        return op.startswith(("conv", "linear", "add", "mul", "matmul", "batch_norm"))
    return name == "aten::_int_mm"


def call_tree(events: Iterable[Any]) -> "Picture":
    """Return a picture of events: an arrow leads from each op to those that it calls.

    The names of its nodes begin with what they are: ``kernel_3``, ``memory_4``, ``wrapper_0``.
    """
    from common.viz.picture import Picture, PictureNode

    found = list(events)
    names = {}
    for i, e in enumerate(found):
        what = "kernel" if kernels_among([e]) else "memory" if e.name in MEMORY_OPS else "wrapper"
        names[id(e)] = f"{what}_{i}"
    nodes = []
    for e in found:
        callers = (names[id(e.cpu_parent)],) if id(e.cpu_parent) in names else ()
        what = names[id(e)].partition("_")[0]
        nodes.append(PictureNode(names[id(e)], "op", e.name, e.name, (what,), callers))
    return Picture(tuple(nodes))
