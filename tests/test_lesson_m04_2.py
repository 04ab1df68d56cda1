"""The facts that lesson m04_2 shows, on the machine that runs the tests."""

from typing import Any

import pytest
import torch
from torch import nn

from common.checks._nets import exported
from common.checks.m04_1 import _bn
from common.checks.m04_2 import _fuse as fz
from common.checks.m04_2.codes_used import truth
from common.checks.m04_2.cost_of_no_fusion import per_op_quantizer, right_numbers
from common.env import quiet
from common.exercise import Case
from common.graph_utils import observer_nodes
from common.pt2e import get_xnnpack_quantizer, prepare_pt2e

quiet()
C, R, P = "aten.conv2d.default", "aten.relu.default", "aten.max_pool2d.default"


def _groups(model: str, **more: Any) -> set[tuple[str, ...]]:
    return set(fz.groups(_bn.graph(Case(model=model, **more))))


def _ends(model: str, *patterns: list[str]) -> list[str]:
    return [chain[-1].name for chain in fz.matches(exported(model, 0), patterns)]


def test_codes_behind_a_relu() -> None:
    one, half, quarter = truth()
    assert one == 256 and abs(half - 128) <= 1 and abs(quarter - 64) <= 1


@pytest.mark.parametrize(
    ("model", "groups"),
    [
        ("bn_places", {("conv2d", "batch_norm_1", "relu"), ("conv2d_1", "relu_1")}),
        ("bn_side_reader", {("conv2d_1", "batch_norm_1")}),
        ("bn_kinds", {("conv2d", "batch_norm", "relu_"), ("conv2d_1", "batch_norm_1"), ("conv2d_2", "relu")}),
        ("bn_late_relu", {("conv2d", "batch_norm")}),
        ("bn_read_twice", {("conv2d", "batch_norm"), ("conv2d_1", "batch_norm_1")}),
        ("side_reader", set()),
    ],
)
def test_groups(model: str, groups: set[tuple[str, ...]]) -> None:
    assert _groups(model) == groups


def test_names_do_not_matter() -> None:
    swapped = _groups("bn_parallel", swap=[["batch_norm", "relu_1"]])
    assert swapped == {("conv2d", "relu_1", "relu"), ("conv2d_1", "batch_norm_1", "batch_norm")}


def test_patterns_the_longest_first_and_each_node_once() -> None:
    assert _ends("pool_chain", [C], [C, R], [C, R, P]) == ["max_pool2d", "relu_1", "relu_2"]
    assert _ends("pool_chain", [C, R], [R], [R, P]) == ["relu", "relu_1", "relu_2"]
    assert _ends("relu_twins", [C], [C, R], [R]) == ["conv2d", "relu", "relu_1", "relu_2", "relu_3"]


@pytest.mark.parametrize("model", ["conv_relu", "residual", "pool_chain"])
def test_a_label_on_every_op_is_one_more_observer_for_each_group(model: str) -> None:
    counts = []
    for quantizer in (get_xnnpack_quantizer()[0], per_op_quantizer(get_xnnpack_quantizer()[0])):
        counts.append(len(observer_nodes(prepare_pt2e(exported(model, 0), quantizer))))
    relus = {"conv_relu": 1, "residual": 2, "pool_chain": 3}
    assert counts[1] - counts[0] == relus[model]


@pytest.mark.parametrize("seed", range(3))
def test_what_a_second_rounding_costs(seed: int) -> None:
    for model in ("conv_relu", "residual"):
        one, two = right_numbers(model, seed)
        assert one - two > 1.5
    one, two = right_numbers("pool_chain", seed)
    assert abs(one - two) < 1.5


def test_which_activations_let_a_factor_pass() -> None:
    z = torch.linspace(-10, 10, 9)
    passes = [torch.allclose(f(z / 4) * 4, f(z)) for f in (torch.relu, nn.functional.relu6, torch.sigmoid)]
    assert passes == [True, False, False]
