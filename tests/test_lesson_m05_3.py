"""The facts that lesson m05_3 shows, on the machine that runs the tests."""

import copy
import math
from functools import cache
from typing import Any

import pytest
import torch
from torch import nn

from common.checks._nets import exported
from common.checks.m05_3._greedy import greedy, worst_first
from common.data import calibration_batches, stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import node_outputs, observer_nodes, qdq_nodes, sqnr
from common.models import example_inputs
from common.noise import cheapest_bits, db_of, noise_of, spent, together, total_noise
from common.pt2e import export_module, prepare_pt2e
from common.sensitivity import OnlyLayers, layers_of, quantize_only, with_corrected_biases

quiet()

LAYERS = ["conv2d", "conv2d_1", "conv2d_2", "conv2d_3", "linear"]
SETS = range(3, 9)


@cache
def _net() -> tuple[Any, list[tuple[torch.Tensor]]]:
    torch.set_num_threads(1)
    gm = prepare_pt2e(export_module(trained_tiny_net(), example_inputs()), OnlyLayers([]))
    return gm, list(calibration_batches(128))


def _at_output(net: Any) -> list[float]:
    gm, _batches = _net()
    with torch.no_grad():
        return [sqnr(gm(x), net(x)) for x in (stripes(128, seed=seed)[0] for seed in SETS)]


def _quantized(names: list[str], bits: int) -> Any:
    gm, batches = _net()
    return quantize_only(gm, names, batches, bits)


def test_a_quantizer_without_names_folds_batch_norm_and_no_more() -> None:
    gm, _batches = _net()
    assert layers_of(gm) == LAYERS
    assert not observer_nodes(gm)
    assert not any("batch_norm" in n.name for n in gm.graph.nodes)
    x = example_inputs(seed=4)[0]
    with torch.no_grad():
        assert sqnr(trained_tiny_net()(x), gm(x)) > 100


def test_one_layer_is_quantized_and_the_graph_is_left_alone() -> None:
    gm, batches = _net()
    names = [n.name for n in gm.graph.nodes]
    net = quantize_only(gm, ["conv2d_1"], batches, 4)
    assert [n.name for n in gm.graph.nodes] == names
    ops = [str(n.target).split(".")[1] for n in qdq_nodes(net)]
    assert ops == ["dequantize_per_channel", "quantize_per_tensor", "dequantize_per_tensor"]
    weight = next(n for n in net.graph.nodes if n.name == "conv2d_1").all_input_nodes[1]
    assert weight.args[4:6] == (-7, 7)


@pytest.mark.parametrize(
    ("names", "error"), [(["conv9"], "there is no layer 'conv9'"), (["relu"], "there is no layer 'relu'")]
)
def test_a_name_that_is_no_layer_is_refused(names: list[str], error: str) -> None:
    with pytest.raises(ValueError, match=error):
        prepare_pt2e(exported("conv_relu", 0), OnlyLayers(names))


def test_one_name_in_place_of_a_list_is_refused() -> None:
    with pytest.raises(TypeError, match=r"OnlyLayers\(\['conv2d'\]\)"):
        OnlyLayers("conv2d")


def test_the_layer_with_the_largest_error_costs_least() -> None:
    gm, _batches = _net()
    x = stripes(128, seed=3)[0]
    reference = node_outputs(gm, x)
    alone = {name: _quantized([name], 5) for name in LAYERS}
    own = {name: sqnr(reference[name], node_outputs(net, x)[name]) for name, net in alone.items()}
    cost = {name: _at_output(net) for name, net in alone.items()}
    assert min(own, key=lambda n: own[n]) == "conv2d_3"
    for i in range(len(SETS)):
        order = sorted(LAYERS, key=lambda n: cost[n][i])
        assert (order[0], order[-1]) == ("conv2d_1", "conv2d_3")


def test_what_float_layers_bring() -> None:
    everything, without = (_at_output(_quantized([n for n in LAYERS if n != out], 5)) for out in ("", "conv2d_1"))
    assert min(b - a for a, b in zip(everything, without, strict=True)) > 5
    suspect = _at_output(_quantized([n for n in LAYERS if n != "conv2d_3"], 5))
    assert max(b - a for a, b in zip(everything, suspect, strict=True)) < 0


@pytest.mark.parametrize(("bits", "gain"), [(5, 5), (3, 10)])
def test_corrected_biases_bring_decibels_back(bits: int, gain: float) -> None:
    gm, batches = _net()
    net = _quantized(LAYERS, bits)
    before = _at_output(net)
    seen = torch.cat([batch for (batch,) in batches])
    corrected = with_corrected_biases(gm, net, seen)
    assert _at_output(net) == before
    assert min(b - a for a, b in zip(before, _at_output(corrected), strict=True)) > gain
    wanted, got = node_outputs(gm, seen)["conv2d_3"], node_outputs(corrected, seen)["conv2d_3"]
    assert torch.allclose(wanted.mean((0, 2, 3)), got.mean((0, 2, 3)), atol=1e-4)


def test_a_measurement_teaches_observers() -> None:
    gm, batches = _net()
    prepared = prepare_pt2e(copy.deepcopy(gm), OnlyLayers(LAYERS, 8))
    with torch.no_grad():
        prepared(*batches[0])
        before = [o.max_val.clone() for _n, o in observer_nodes(prepared)]
        prepared(3 * batches[0][0])
    after = [o.max_val for _n, o in observer_nodes(prepared)]
    assert any(not torch.equal(a, b) for a, b in zip(before, after, strict=True))


def test_noises_add_up() -> None:
    assert together([30, 30]) == pytest.approx(30 - 10 * math.log10(2))
    assert together([math.inf, 25]) == pytest.approx(25)
    assert together([math.inf]) == math.inf
    assert db_of(noise_of(17.5)) == pytest.approx(17.5)


def test_bits_are_shared_out_by_noise() -> None:
    db = {"a": {4: 20.0, 8: 40.0}, "b": {4: 30.0, 8: 50.0}}
    assert cheapest_bits(db, {"a": 10, "b": 10}, 120) == {"a": 8, "b": 4}
    assert cheapest_bits(db, {"a": 10, "b": 10}, 79) == {}
    assert spent({"a": 8, "b": 4}, {"a": 10, "b": 1}) == 84
    assert total_noise(db, {"a": 4, "b": 4}) == pytest.approx(0.011)


def test_going_step_by_step_can_miss_the_best_choice() -> None:
    db = {
        "stem": {2: 14.5, 3: 20.5, 4: 27.5, 8: 45.5},
        "body": {2: 9.0, 3: 13.5, 4: 18.0, 8: 39.0},
        "head": {2: 14.5, 3: 18.0, 4: 22.5, 8: 46.0},
    }
    weights = {"stem": 200, "body": 1200, "head": 800}
    best = cheapest_bits(db, weights, 12600)
    for other in (
        greedy(db, weights, 12600, per_bit=True),
        greedy(db, weights, 12600, per_bit=False),
        worst_first(db, weights, 12600),
    ):
        assert spent(other, weights) <= 12600
        assert total_noise(db, other) > total_noise(db, best)


def test_nets_without_a_layer_have_none() -> None:
    assert layers_of(exported("add_pool", 0)) == []
    gm = export_module(nn.Sequential(nn.Flatten(), nn.Linear(768, 3)).eval(), example_inputs())
    assert layers_of(gm) == ["linear"]
