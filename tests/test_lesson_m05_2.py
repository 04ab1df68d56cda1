"""The facts that lesson m05_2 shows, on the machine that runs the tests."""

import copy
from collections.abc import Callable, Iterable
from typing import Any

import pytest
import torch

from common.checks.m05_2 import _places as pl
from common.checks.m05_2 import calibration_curve, glitch_story, mse_range, pick_observer
from common.data import stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import observer_nodes, sqnr
from common.models import example_inputs
from common.pt2e import HistogramObserver, convert_pt2e, export_module, prepare_pt2e

quiet()


def test_one_bad_pixel_widens_some_ranges_and_not_others() -> None:
    for seed in range(3):
        factors = glitch_story.factors(seed)
        assert all(factors[i] > 2 for i in (0, 1, 2, 5))
        assert all(factors[i] < 1.25 for i in (3, 4))


def test_a_glitch_and_a_light_need_different_observers() -> None:
    for seed in (100, 101, 102):
        names = tuple(pl.observers(per_channel=False))
        glitch, light = (pick_observer._table(kind, seed, 1.0, names)["right"] for kind in ("glitch", "light"))
        assert glitch["histogram"] > max(v for k, v in glitch.items() if k != "histogram") + 5
        assert light["min and max"] > max(v for k, v in light.items() if k != "min and max") + 2


@pytest.mark.parametrize("kind", pl.KINDS)
def test_at_each_place_one_observer_leads_by_far(kind: str) -> None:
    names = tuple(pl.observers(per_channel=kind == "channels"))
    for seed in (0, 3, 5, 100, 101, 102, 999):
        right = pick_observer._table(kind, seed, 1.0, names)["right"]
        values = sorted(v for k, v in right.items() if k != pick_observer.PER_CHANNEL)
        assert values[-1] > values[-2] + 20 * pick_observer.CLOSE
        if kind == "channels":
            assert right[pick_observer.PER_CHANNEL] > values[-1] + 20 * pick_observer.CLOSE


def test_the_histogram_does_not_look_at_the_number_of_bits() -> None:
    x = torch.randn(20000, generator=torch.Generator().manual_seed(0))
    ranges = []
    for bits in (8, 4, 3):
        low, high = -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
        observer = HistogramObserver(dtype=torch.int8, quant_min=low, quant_max=high, eps=2**-12)
        observer(x)
        ranges.append(observer.calculate_qparams()[0].item() * (high - low))
    assert ranges == pytest.approx([ranges[0]] * 3, rel=1e-5)


def test_the_range_with_the_smallest_error_clips_more_with_fewer_bits() -> None:
    for seed in range(3):
        width = {}
        for bits in (3, 8):
            _error, (lo, hi) = mse_range._best("normal", seed, bits, "squared")
            width[bits] = hi - lo
        assert width[3] < 0.8 * width[8]


@pytest.mark.parametrize("seed", range(4))
def test_min_and_max_are_far_from_the_smallest_error_but_for_8_bits(seed: int) -> None:
    for kind in ("normal", "skewed", "low", "outlier", "relu"):
        x = mse_range.values(kind, seed)
        whole = float(x.min()), float(x.max())
        assert mse_range.squared_error(x, *whole, 3) > 1.2 * mse_range._best(kind, seed, 3, "squared")[0]
        assert mse_range.squared_error(x, *whole, 8) < mse_range.WITHIN * mse_range._best(kind, seed, 8, "squared")[0]


def test_the_quantizer_has_min_and_max_at_all_activations() -> None:
    prepared = prepare_pt2e(export_module(trained_tiny_net(), example_inputs()), pl.minmax_quantizer())
    kinds = {type(o).__name__ for _node, o in observer_nodes(prepared)}
    assert kinds == {"MinMaxObserver", "PerChannelMinMaxObserver"}


def _quality(change: Callable[[torch.Tensor], torch.Tensor], seed: int) -> float:
    gm, (x, _labels) = export_module(trained_tiny_net(), example_inputs()), stripes(256, seed=7)
    with torch.no_grad():
        reference = gm(x)
        prepared = prepare_pt2e(copy.deepcopy(gm), pl.minmax_quantizer())
        prepared(change(stripes(128, seed=seed)[0]))
        return sqnr(reference, convert_pt2e(prepared)(x))


def test_calibrating_with_other_pictures_costs_decibels() -> None:
    noise = torch.randn(128, 3, 16, 16, generator=torch.Generator().manual_seed(5))
    for seed in (100, 101):
        right = _quality(lambda p: p, seed)
        assert right > 20
        assert _quality(lambda p: p / 10, seed) < 0
        assert _quality(lambda p: p * 10, seed) < right - 5
        assert _quality(lambda p: noise * p.std() + p.mean(), seed) < right - 8


def test_the_curves_by_mistake_differ_from_the_right_one() -> None:
    """Where they do not, a mistake could not be told in any case; `swapped` is close where the SQNR is high."""
    curves = calibration_curve._curves("residual", 0, 16, (12, 2, 6))
    for kind, wrong in curves.items():
        assert kind == "right" or _far(wrong, curves["right"]), kind


def _far(a: Iterable[Any], b: Iterable[Any]) -> bool:
    return max(abs(x - y) for x, y in zip(a, b, strict=True)) > 5 * calibration_curve.TOLERANCE
