"""Graphs, programs and files that the exercises of this lesson share; probes and judges call them alike."""

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import batches, exported
from common.exercise.base import Case

if TYPE_CHECKING:
    import torch
    from torch import fx


def quantized(case: Case) -> "fx.GraphModule":
    """Return the Q/DQ graph of a case, a copy of its own: XNNPACKQuantizer, per channel where it does not say else."""
    return copy.deepcopy(_quantized_once(case.model, case.seed, case.get("per_channel", True)))


@lru_cache(maxsize=32)
def _quantized_once(model: str, seed: int, per_channel: bool) -> "fx.GraphModule":
    import torch

    from common.pt2e import convert_pt2e, get_xnnpack_quantizer, prepare_pt2e

    prepared = prepare_pt2e(exported(model, seed), get_xnnpack_quantizer(is_per_channel=per_channel)[0])
    with torch.no_grad():
        for batch in batches(seed):
            prepared(*batch)
    return convert_pt2e(prepared)


def example(case: Case) -> "tuple[torch.Tensor]":
    """Return the example input of a case, with the batch that it names."""
    from common.models import example_inputs

    return example_inputs(case.get("batch", 4), seed=case.seed + 1)


def edge_program(case: Case) -> Any:
    """Return the exported program after lowering, a copy of its own; `fp32` and `partitioner` choose another one."""
    return copy.deepcopy(judges_program(case).exported_program())


def judges_program(case: Case) -> Any:
    """The same for judges, kept: lowering takes a second or two, and a copy hardly any time.

    No answer gets to see it, and nobody may call its `to_executorch`: that changes its graph.
    """
    return _lowered_once(case.model, case.seed, bool(case.get("fp32")), bool(case.get("partitioner", True)))


@lru_cache(maxsize=32)
def _lowered_once(model: str, seed: int, fp32: bool, partitioner: bool) -> Any:
    return _lowered(Case(model=model, seed=seed, fp32=fp32, partitioner=partitioner))


def file_size(case: Case) -> int:
    """Return how many bytes the .pte file of a case has; `fp32` in the case chooses the net in place of its graph."""
    return _size_once(case.model, case.seed, bool(case.get("fp32")))


@lru_cache(maxsize=32)
def _size_once(model: str, seed: int, fp32: bool) -> int:
    return len(_lowered(Case(model=model, seed=seed, fp32=fp32)).to_executorch().buffer)


def _lowered(case: Case) -> Any:
    from common.backends.xnnpack import lower
    from common.models import get_model

    net: Any = get_model(case.model, seed=case.seed).eval() if case.get("fp32") else quantized(case)
    return lower(net, example(case), partitioner=case.get("partitioner", True))


def as_number(value: Any) -> int | float | None:
    """Return a number as a plain one: of Python, of NumPy, or a tensor with one element; None for anything else."""
    import numpy as np
    import torch

    if isinstance(value, torch.Tensor) and value.numel() == 1 and not value.is_complex() and value.dtype != torch.bool:
        value = value.detach().item()
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.integer, np.floating)):
        return None
    return value if isinstance(value, (int, float)) else value.item()
