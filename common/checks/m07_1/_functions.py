"""What is profiled in this lesson's exercises: graphs, and functions that do more in their first call."""

import warnings
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case

if TYPE_CHECKING:
    import torch

COUNTS = {"type": "object", "maxProperties": 300, "additionalProperties": {"type": "integer"}}
"""JSON Schema of a Counter."""


class Late:
    """Calls a graph without gradients; with `late`, the first call prepares something that later calls use.

    With `parts`, the result goes through ops that a rule of thumb takes for what they are not; see `_own_ops`.
    """

    def __init__(self, gm: Any, *, late: bool = False, parts: bool = False) -> None:
        self.gm, self.late, self.parts = gm, late, parts
        if parts:
            _own_ops()

    def __call__(self, x: "torch.Tensor") -> "torch.Tensor":
        import torch

        with torch.no_grad():
            if self.late:
                _prepare()
                self.late = False
            if not self.parts:
                return self.gm(x)
            with torch.profiler.record_function("the graph"):
                result = self.gm(x)
            with torch.profiler.record_function("nothing"):
                pass
            own = torch.ops.m07_1
            result = own.by_numpy(own.in_parts(result))
            return own.either(result) + own.either(result.flatten()).reshape(result.shape)


@cache
def _own_ops() -> "torch.library.Library":
    """Three ops with a remark of the profiler inside, or that are once a kernel and once not."""
    import torch

    def in_parts(x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("a part"):
            return x * x

    def by_numpy(x: torch.Tensor) -> torch.Tensor:
        with torch.profiler.record_function("a buffer"):
            out = torch.empty_like(x)
        out.numpy()[...] = x.numpy() / 2
        return out

    def either(x: torch.Tensor) -> torch.Tensor:
        return by_numpy(x) if x.dim() == 1 else x * 2

    library = torch.library.Library("m07_1", "DEF")
    for name, op in {"in_parts": in_parts, "by_numpy": by_numpy, "either": either}.items():
        library.define(f"{name}(Tensor x) -> Tensor")
        library.impl(name, op, "CPU")
    return library


def graph_function(case: Case) -> Late:
    """The graph of a case as a function."""
    return Late(quantized(case), late=bool(case.get("late")), parts=bool(case.get("parts")))


FIRST_CALL = frozenset({"aten::linspace", "aten::cumsum", "aten::erf"})
"""Kernels that run only where something is prepared in a first call."""


def _prepare() -> None:
    import torch

    torch.cumsum(torch.linspace(0, 1, 64), 0).erf().erf().erf()  # more than once: half of it is not nothing


def chain(names: list[str], *, late: bool = False) -> Callable[["torch.Tensor"], "torch.Tensor"]:
    """A few single ops one after the other; `int8` is an integer kernel that every build of torch has."""
    import torch

    first = [late]
    ones = torch.ones(32, 32, dtype=torch.int8)
    ops: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "relu": torch.relu,
        "mul": lambda x: x * 2,
        "round": torch.round,
        "sigmoid": torch.sigmoid,
        "int8": lambda x: x.add_(torch._int_mm(ones, ones)[0, 0]),  # pyright: ignore[reportPrivateImportUsage]
    }

    def fn(x: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            if first[0]:
                _prepare()
                first[0] = False
            x = x.clone()
            for name in names:
                x = ops[name](x)
            return x

    return fn


def example(case: Case) -> "torch.Tensor":
    """An input for it."""
    from common.models import example_inputs

    return example_inputs(batch=2, seed=case.seed + 1)[0]


def integer_function() -> Callable[["torch.Tensor"], "torch.Tensor"]:
    """A linear layer by the int8 kernel of the engine that is switched on here."""
    import torch

    def tensor(integers: "torch.Tensor", scale: float, zero_point: int) -> "torch.Tensor":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these tensors are to leave torch one day
            return torch._make_per_tensor_quantized_tensor(integers, scale, zero_point)  # pyright: ignore[reportPrivateImportUsage]

    weight = tensor(torch.arange(-12, 12, dtype=torch.int8).reshape(8, 3), 0.02, 0)
    packed = torch.ops.quantized.linear_prepack(weight, torch.zeros(8))

    def fn(x: "torch.Tensor") -> "torch.Tensor":
        with torch.no_grad():
            means = x.mean((2, 3)) * 20 + 128
            result = torch.ops.quantized.linear(
                tensor(means.clamp(0, 255).to(torch.uint8), 0.05, 128), packed, 0.1, 128
            )
            return (result.int_repr() - 128.0) * 0.1

    return fn


def has_engine() -> bool:
    """Whether this build of torch has an engine for int8 tensors at all."""
    import torch

    return torch.backends.quantized.engine != "none"


def as_counts(value: Any) -> dict[str, int] | None:
    """Read what an answer calls a Counter; entries that are 0 are left out; None for anything else."""
    if not isinstance(value, Mapping):
        return None
    counts: dict[str, int] = {}
    for name, n in value.items():
        if not isinstance(name, str) or isinstance(n, bool) or not isinstance(n, int):
            return None
        if n:
            counts[name] = n
    return counts
