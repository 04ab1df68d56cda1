"""Nets with some layers quantized, and how far their outputs are from float; called by probes and judges alike."""

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case

if TYPE_CHECKING:
    from collections.abc import Mapping

    import torch
    from torch import fx

GUARDS = "_guards_fn"
NAMES: dict[str, Any] = {"type": "array", "maxItems": 500, "items": {"type": "string"}}
"""JSON Schema of a list of names of nodes."""

SOME = ("first", "last", "all but the last", "all but the first")
"""Parts of the batches that somebody may calibrate on instead of all of them."""

TOLERANCE = 0.05
"""In dB. The judge computes with the same library; sums in float32 or float64 differ by far less than this."""


def calibration(case: Case) -> "list[tuple[torch.Tensor]]":
    """Three batches: the first one is wide above 0, the last one below it. So each of the two is needed for a range."""
    from common.data import random_batches

    (first,), *middle, (last,) = random_batches(12, batch_size=4, seed=case.seed + 11)
    return [(first.where(first < 0, 1.4 * first),), *middle, (last.where(last > 0, 1.4 * last),)]


def measuring(case: Case) -> "torch.Tensor":
    """What is measured on: other pictures than those of the calibration, and wider ones."""
    from common.models import example_inputs

    return 1.6 * example_inputs(batch=4, seed=case.seed + 31)[0]


def net(case: Case) -> "fx.GraphModule":
    """The float net of a case, a graph of its own."""
    return exported(case.model, case.seed)


def layers_in(case: Case) -> list[str]:
    """The layers of the net of a case: those that it names, or all of them."""
    from common.sensitivity import layers_of

    return list(case["layers"]) if "layers" in case else layers_of(net(case))


def quantized(case: Case, bits: "Mapping[str, int]", feed: str = "batches", stage: str = "converted") -> Any:
    """Return the net with these layers quantized (its own copy). `feed`: see `_made`."""
    made = _made(case.model, case.seed, tuple(bits.items()), feed, stage)
    return copy.deepcopy(made)


@lru_cache(maxsize=128)
def _made(model: str, seed: int, bits: tuple[tuple[str, int], ...], feed: str, stage: str) -> "fx.GraphModule":
    """`feed`: "batches", "none", "x", "also x", or one of `SOME`."""
    import torch

    from common.pt2e import convert_pt2e, prepare_pt2e
    from common.sensitivity import OnlyLayers

    case = Case(model=model, seed=seed)
    batches, x = calibration(case), (measuring(case),)
    data = {
        "batches": batches,
        "none": [],
        "x": [x],
        "also x": [*batches, x],
        "first": batches[:1],
        "last": batches[-1:],
        "all but the last": batches[:-1],
        "all but the first": batches[1:],
    }[feed]
    prepared = prepare_pt2e(exported(model, seed), OnlyLayers(dict(bits)))
    with torch.no_grad():
        for batch in data:
            prepared(*batch)
    return prepared if stage == "prepared" else convert_pt2e(prepared)


def output_db(case: Case, bits: "Mapping[str, int]", feed: str = "batches", swapped: bool = False) -> float:
    """The SQNR at the output when these layers are quantized, against the float net."""
    import torch

    from common.graph_utils import sqnr

    with torch.no_grad():
        y, other = net(case)(measuring(case)), quantized(case, bits, feed)(measuring(case))
    return sqnr(other, y) if swapped else sqnr(y, other)


def node_names(gm: Any) -> list[str]:
    """Names of the nodes of a graph, in order (of anything else: nothing)."""
    from torch import fx

    return [n.name for n in gm.graph.nodes][:500] if isinstance(gm, fx.GraphModule) else []


def same_db(said: float, right: float, tolerance: float = TOLERANCE) -> bool:
    """Whether two numbers of decibels agree; infinity agrees with itself only."""
    return said == right or abs(said - right) <= tolerance
