"""The facts that lessons m07_0 and m07_2 show. What depends on the machine is checked for consistency only."""

import copy
from collections import Counter
from typing import Any

import pytest
import torch
from torch import fx

from common.checks.m07_2._graphs import quantized
from common.checks.m07_2.why_conv_stays import reasons
from common.data import calibration_batches, trained_tiny_net
from common.env import quiet
from common.exercise import Case
from common.graph_utils import compare, op_counts, qdq_nodes, short
from common.lowering import as_convolution, find_units, out_dtype_ops, qparams, try_lowering
from common.models import example_inputs, get_model
from common.pt2e import convert_pt2e, export_module, get_x86_quantizer, get_xnnpack_quantizer, prepare_pt2e

quiet()


def _calibrated(model: torch.nn.Module, quantizer) -> fx.GraphModule:
    prepared = prepare_pt2e(export_module(model, example_inputs()), quantizer)
    with torch.no_grad():
        for batch in calibration_batches(64):
            prepared(*batch)
    return prepared


def _prepared(name: str, *, per_channel: bool) -> fx.GraphModule:
    model = trained_tiny_net() if name == "tiny" else get_model(name).eval()
    return _calibrated(model, get_xnnpack_quantizer(is_per_channel=per_channel)[0])


def _reference(prepared: fx.GraphModule) -> fx.GraphModule:
    return convert_pt2e(prepared, use_reference_representation=True)


@pytest.fixture(scope="module")
def qdq() -> fx.GraphModule:
    return convert_pt2e(_prepared("tiny", per_channel=True))


def test_units_of_the_net(qdq: fx.GraphModule) -> None:
    """Section 1: the table of units, and which of them share their qparams."""
    units = find_units(qdq)
    assert Counter((" + ".join(u.names), u.shared) for u in units) == {
        ("conv2d + relu", False): 3,
        ("max_pool2d", True): 2,
        ("conv2d", False): 1,
        ("add + relu", False): 1,
        ("adaptive_avg_pool2d", True): 1,
        ("flatten", True): 1,
        ("linear", False): 1,
    }
    (add,) = (u for u in units if u.names == ("add", "relu"))
    assert len(add.inputs) == 2 and [n.name for n in add.ops] == ["add", "relu_2"]
    assert len(qdq_nodes(qdq)) == 28


def test_quantize_and_dequantize_as_arithmetic() -> None:
    """Section 2: the ops between x and conv2d, their constants, and that conv2d is left."""
    prepared = _prepared("conv_relu", per_channel=True)
    graph = convert_pt2e(copy.deepcopy(prepared))
    reference = _reference(prepared)
    path: list[Any] = []
    node: Any = next(n for n in reference.graph.nodes if n.name == "conv2d").args[0]
    while node.op == "call_function":
        path.insert(0, node)
        node = node.args[0]
    assert [short(n.target) for n in path] == [
        *("div", "round", "to", "add", "clamp", "to"),
        *("clamp", "to", "sub", "mul", "to"),
    ]
    qdq: list[Any] = qdq_nodes(graph)
    scale, zero_point = qparams(next(n for n in qdq if n.args[0].name == "x"))
    assert path[0].args[1] == path[9].args[1] == scale
    assert path[3].args[1] == path[8].args[1] == zero_point
    assert path[4].args[1:] == path[6].args[1:] == (-128, 127)
    assert not qdq_nodes(reference) and not out_dtype_ops(reference)
    assert compare(graph, reference, example_inputs())["max_abs_err"] == 0


@pytest.mark.parametrize(
    ("per_channel", "linears", "integer"),
    [(True, 1, {"mul": 2}), (False, 0, {"mul": 3, "linear": 1, "div": 1})],
    ids=["per channel", "per tensor"],
)
def test_ops_inside_out_dtype(per_channel: bool, linears: int, integer: dict[str, int]) -> None:
    """Section 2: the table of the two references; conv2d stays in both."""
    reference = _reference(_prepared("tiny", per_channel=per_channel))
    counts = op_counts(reference)
    assert not qdq_nodes(reference)
    assert (counts["conv2d"], counts["linear"]) == (4, linears)
    assert out_dtype_ops(reference) == integer


def test_a_conv_unit_that_meets_the_three_conditions_becomes_integer() -> None:
    """Section 2: the small unit, at most one step from the Q/DQ graph."""
    prepared = _prepared("plain_conv", per_channel=False)
    graph = convert_pt2e(copy.deepcopy(prepared))
    reference = _reference(as_convolution(prepared))
    assert out_dtype_ops(reference) == {"convolution": 1, "div": 1, "mul": 1}
    assert "convolution" not in op_counts(reference)
    step, _zero_point = qparams(find_units(graph)[0].quantize)
    error = compare(graph, reference, example_inputs())["max_abs_err"]
    assert 0 < error < 1.01 * step


def test_the_three_conditions_are_torchaos() -> None:
    """Exercise 3's reference says of each conv what torchao's rewriting does: one of three meets all conditions."""
    graph = as_convolution(quantized(Case(model="conv_chain", per_channel=False)))
    found = [reasons(n) for n in graph.graph.nodes if short(n.target) == "convolution"]
    assert found == [{"output"}, set(), {"output"}]
    reference = _reference(as_convolution(_prepared("conv_chain", per_channel=False)))
    assert op_counts(reference)["convolution"] == 2
    assert out_dtype_ops(reference)["convolution"] == 1


def test_weights_may_differ_from_conv_to_conv() -> None:
    graph = quantized(Case(model="conv_chain", per_channel=True, per_tensor=["conv_b"]))
    found = {n.name: reasons(n) for n in graph.graph.nodes if short(n.target) == "conv2d"}
    assert found == {"conv2d": {"op", "weight", "output"}, "conv2d_1": {"op"}, "conv2d_2": {"op", "weight", "output"}}


def test_lowering_is_told_as_it_is(qdq: fx.GraphModule) -> None:
    """Section 3: whatever this machine does, the record agrees with the graph and with running it."""
    (x,) = next(calibration_batches(8, seed=9))
    for graph in (qdq, convert_pt2e(_calibrated(trained_tiny_net(), get_x86_quantizer()))):
        nodes = [n.name for n in graph.graph.nodes]
        record = try_lowering(graph, (x,))
        assert [n.name for n in graph.graph.nodes] == nodes  # the given graph is left alone
        assert record.graph is not None and record.qdq_after == len(qdq_nodes(record.graph))
        if record.int8_ops:
            assert record.mkldnn and record.qdq_after < record.qdq_before
        else:
            assert record.qdq_after == record.qdq_before
        if record.runs:
            assert record.sqnr_db is not None and record.sqnr_db > 30 and not record.error
        else:
            assert record.error and record.sqnr_db is None


def test_integer_unit_by_hand_is_one_step_away_at_most() -> None:
    """The overview's linear → relu unit: int32 accumulator, bias, requantization, clamp."""
    values: dict[Any, Any] = {}

    class Values(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            values[n] = super().run_node(n)
            return values[n]

    graph = convert_pt2e(_prepared("linear_relu", per_channel=False))
    with torch.no_grad():
        Values(graph).run(*example_inputs(batch=64, seed=3))
    (unit,) = (u for u in find_units(graph) if u.names == ("linear", "relu"))
    weight: Any
    _x, weight, bias = unit.ops[0].args
    (s_x, z_x), (s_w, z_w), (s_y, z_y) = qparams(unit.inputs[0]), qparams(weight), qparams(unit.quantize)
    assert z_w == 0
    x_q, w_q = values[unit.inputs[0].args[0]].int(), values[weight.args[0]].int()
    acc = (x_q - z_x) @ w_q.T + torch.round(values[bias] / (s_x * s_w)).int()
    y_q = (torch.round(acc * (s_x * s_w / s_y)).int() + z_y).clamp(z_y, 127)
    assert acc.dtype == torch.int32
    assert (y_q - values[unit.quantize].int()).abs().max() <= 1
