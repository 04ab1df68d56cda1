"""The facts that lesson m02_3 shows, on the machine that runs the tests."""

import copy

import pytest
import torch

from common.checks.m02_3._qdq import places_of
from common.data import calibration_batches, random_batches, stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import observer_nodes, qdq_nodes, short, sqnr
from common.models import example_inputs, get_model
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

quiet()

ops = torch.ops.quantized_decomposed


def _prepared(name: str) -> torch.fx.GraphModule:
    found = prepare_pt2e(export_module(get_model(name).eval(), example_inputs()), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in random_batches(32, seed=0):
            found(*batch)
    return found


@pytest.fixture(scope="module")
def prepared() -> torch.fx.GraphModule:
    return _prepared("residual")


@pytest.fixture(scope="module")
def converted(prepared: torch.fx.GraphModule) -> torch.fx.GraphModule:
    return convert_pt2e(copy.deepcopy(prepared))


def _node(gm: torch.fx.GraphModule, name: str) -> torch.fx.Node:
    return next(n for n in gm.graph.nodes if n.name == name)


def test_convert_uses_the_observers_numbers(prepared: torch.fx.GraphModule, converted: torch.fx.GraphModule) -> None:
    assert (len(observer_nodes(prepared)), len(observer_nodes(converted))) == (6, 0)
    observed = {n.args[0].name: o for n, o in observer_nodes(prepared)}
    q = [n for n in qdq_nodes(converted) if short(n.target) == "quantize_per_tensor"]
    assert len(q) == 4
    for node in q:
        observer = observed[node.args[0].name]
        scale, zero_point = observer.calculate_qparams()
        assert node.args[1:] == (
            scale.item(),
            zero_point.item(),
            observer.quant_min,
            observer.quant_max,
            observer.dtype,
        )


def test_a_weight_is_stored_as_integers(converted: torch.fx.GraphModule) -> None:
    dq = _node(converted, "conv2d").args[1]
    assert short(dq.target) == "dequantize_per_channel" and dq.args[3:] == (0, -127, 127, torch.int8)
    assert [n.op for n in dq.args[:3]] == ["get_attr"] * 3
    stored, scales, zeros = (getattr(converted, n.target) for n in dq.args[:3])
    weight = get_model("residual").conv_a.weight.detach()
    assert 4 * stored.nbytes == weight.nbytes and stored.abs().max() == 127
    assert torch.equal(stored, ops.quantize_per_channel(weight, scales, zeros, 0, -127, 127, torch.int8))
    one = scales.max().item()
    coarse = ops.quantize_per_tensor(weight, one, 0, -127, 127, torch.int8).float() * one
    assert sqnr(weight, stored * scales.reshape(-1, 1, 1, 1)) > sqnr(weight, coarse)


def test_values_behind_dequantize_lie_on_the_grid() -> None:
    gm = export_module(get_model("conv_relu").eval(), example_inputs())
    relu, numbers = _node(gm, "relu"), (0.05, -128, -128, 127, torch.int8)
    (reader,) = relu.users
    with gm.graph.inserting_before(reader):
        q = gm.graph.call_function(ops.quantize_per_tensor.default, (relu, *numbers))
        dq = gm.graph.call_function(ops.dequantize_per_tensor.default, (q, *numbers))
    reader.replace_input_with(relu, dq)
    gm.recompile()
    steps = gm(*example_inputs(seed=1)) / 0.05
    assert (steps - steps.round()).abs().max() < 1e-3


def test_a_tensor_cannot_be_an_argument_of_a_node() -> None:
    gm = export_module(get_model("conv_relu").eval(), example_inputs())
    relu = _node(gm, "relu")
    with gm.graph.inserting_after(relu):
        bad = (relu, torch.tensor(0.05), torch.tensor(-128), -128, 127, torch.int8)
        gm.graph.call_function(ops.quantize_per_tensor.default, bad)
    with pytest.raises(Exception):  # noqa: B017 - what is raised, and when, depends on the version of torch
        gm.recompile()
        gm(*example_inputs())


def test_a_node_with_readers_cannot_be_erased() -> None:
    gm = export_module(get_model("conv_relu").eval(), example_inputs())
    with pytest.raises(RuntimeError, match="Tried to erase Node relu"):
        gm.graph.erase_node(_node(gm, "relu"))


def test_observers_are_shared_in_pool_chain() -> None:
    places = places_of(_prepared("pool_chain"))
    assert (len(places), len({id(p.observer) for p in places})) == (12, 9)
    assert len({p.node for p in places}) == 12


def test_three_counts_and_the_same_numbers() -> None:
    tiny = prepare_pt2e(export_module(trained_tiny_net(), example_inputs()), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in calibration_batches():
            tiny(*batch)
    plain = convert_pt2e(copy.deepcopy(tiny))
    unfolded = convert_pt2e(copy.deepcopy(tiny), fold_quantize=False)
    merged = convert_pt2e(copy.deepcopy(tiny))
    first_of: dict[torch.fx.Node, torch.fx.Node] = {}
    for node in qdq_nodes(merged):
        if short(node.target).startswith("dequantize"):
            first = first_of.setdefault(node.args[0], node)
            if first is not node:
                node.replace_all_uses_with(first)
                merged.graph.erase_node(node)
    merged.recompile()
    assert [len(qdq_nodes(g)) for g in (plain, unfolded, merged)] == [28, 33, 27]
    pictures, _labels = stripes(64, seed=7)
    with torch.no_grad():
        reference = plain(pictures)
        assert torch.equal(unfolded(pictures), reference)
        assert torch.equal(merged(pictures), reference)


def test_the_right_count_with_the_numbers_of_the_neighbours() -> None:
    chain = _prepared("conv_chain")
    plain, mixed = convert_pt2e(copy.deepcopy(chain)), convert_pt2e(copy.deepcopy(chain))
    quantizes = [n for n in qdq_nodes(mixed) if short(n.target) == "quantize_per_tensor"]
    numbers = [n.args[1:] for n in quantizes]
    for node, others in zip(quantizes, numbers[1:] + numbers[:1], strict=True):
        node.args = (node.args[0], *others)
        for reader in list(node.users):
            reader.args = (node, *others)
    mixed.recompile()
    assert len(qdq_nodes(mixed)) == len(qdq_nodes(plain))
    (x,) = example_inputs(seed=3)
    with torch.no_grad():
        assert sqnr(plain(x), mixed(x)) < 20
