"""The facts that lesson m01_2 shows, on the machine that runs the tests."""

import copy
from collections import Counter

import pytest
import torch

from common.data import random_batches, trained_tiny_net
from common.env import quiet
from common.graph_utils import node_changes, observer_nodes, op_counts, qdq_nodes, short
from common.models import example_inputs, get_model
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

quiet()

Stages = tuple[torch.fx.GraphModule, torch.fx.GraphModule, torch.fx.GraphModule]


def _three_stages(model: torch.nn.Module) -> Stages:
    exported = export_module(model.eval(), example_inputs())
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in random_batches(32, batch_size=4, seed=0):
            prepared(*batch)
    return exported, prepared, convert_pt2e(copy.deepcopy(prepared))


@pytest.fixture(scope="module")
def residual() -> Stages:
    return _three_stages(get_model("residual"))


@pytest.fixture(scope="module")
def batch_norm() -> Stages:
    return _three_stages(get_model("conv_bn_drop"))


@pytest.fixture(scope="module")
def tiny() -> Stages:
    return _three_stages(trained_tiny_net())


def _node(gm: torch.fx.GraphModule, name: str) -> torch.fx.Node:
    return next(n for n in gm.graph.nodes if n.name == name)


def test_counts_of_ops_do_not_see_observers(residual: Stages) -> None:
    exported, prepared, _converted = residual
    assert op_counts(exported) == op_counts(prepared)
    assert len(observer_nodes(prepared)) == 6
    changes = node_changes(exported, prepared)
    assert set(changes["added"]) == {n.name for n, _observer in observer_nodes(prepared)}
    assert (changes["removed"], changes["rewired"]) == ([], ["conv2d", "conv2d_1", "add", "output"])


def test_prepare_removes_batch_norm_and_its_numbers(batch_norm: Stages) -> None:
    exported, prepared, _converted = batch_norm
    changes = node_changes(exported, prepared)
    assert len(changes["added"]) == len(observer_nodes(prepared)) == 8
    parts = {"bn_weight", "bn_bias", "bn_running_mean", "bn_running_var", "bn_num_batches_tracked"}
    assert set(changes["removed"]) == parts | {"batch_norm"}
    assert "relu" in changes["rewired"]
    assert [n.name for n in _node(prepared, "relu").all_input_nodes] == ["conv2d"]


def test_a_diff_of_graphs_does_not_see_folded_weights(batch_norm: Stages) -> None:
    exported, prepared, _converted = batch_norm
    for name, same in (("conv.weight", False), ("conv.bias", False), ("fc.weight", True), ("fc.bias", True)):
        assert torch.equal(exported.get_parameter(name), prepared.get_parameter(name)) is same


def test_a_shared_observer_is_listed_once_among_the_modules(batch_norm: Stages) -> None:
    prepared = batch_norm[1]
    listed = sum(type(m).__name__.endswith("Observer") for _name, m in prepared.named_modules())
    assert (len(observer_nodes(prepared)), listed) == (8, 6)


def test_convert_rewires_what_prepare_had_rewired(residual: Stages) -> None:
    exported, prepared, converted = residual
    changes = node_changes(prepared, converted)
    assert changes["rewired"] == node_changes(exported, prepared)["rewired"]
    gone = {n.name for n, _observer in observer_nodes(prepared)} | {"conv_a_weight", "conv_b_weight"}
    assert set(changes["removed"]) == gone
    kinds = Counter(short(_node(converted, n).target).split("_")[0] for n in changes["added"] if "quantize" in n)
    assert kinds["quantize"] == 4 and kinds["dequantize"] == 7
    names = {n.name for n in converted.graph.nodes}
    assert all(n.name in names for n in exported.graph.nodes if n.op == "call_function")


def test_equal_numbers_at_three_places(batch_norm: Stages) -> None:
    q = [n for n in qdq_nodes(batch_norm[2]) if short(n.target) == "quantize_per_tensor"]
    found = Counter(n.args[1:3] for n in q)
    assert sorted(found.values()) == [1, 1, 1, 3]


def test_numbers_in_names_are_not_in_order(residual: Stages) -> None:
    names = [n.name for n in qdq_nodes(residual[2]) if short(n.target) == "dequantize_per_tensor"]
    assert "dequantize_per_tensor_default_1" not in names and "dequantize_per_tensor_default_5" in names


def test_a_reader_leads_from_observer_to_q_and_dq(residual: Stages) -> None:
    _exported, prepared, converted = residual
    observers = dict(observer_nodes(prepared))
    for name in ("add", "output"):
        pairs = zip(_node(prepared, name).all_input_nodes, _node(converted, name).all_input_nodes, strict=True)
        for watched, dq in pairs:
            scale, zero_point = observers[watched].calculate_qparams()
            q = dq.args[0]
            assert isinstance(q, torch.fx.Node)
            assert (scale.item(), zero_point.item()) == q.args[1:3] == dq.args[1:3]


def test_float_weights_stay_and_no_node_reads_them(residual: Stages) -> None:
    converted = residual[2]
    read = {str(n.target) for n in converted.graph.nodes if n.op == "get_attr"}
    assert [k for k in converted.state_dict() if k not in read] == ["conv_a.weight", "conv_b.weight"]


def test_a_weight_node_holds_constants_and_an_axis(residual: Stages) -> None:
    _exported, prepared, converted = residual
    dq = _node(converted, "conv2d").args[1]
    assert isinstance(dq, torch.fx.Node) and dq.args[3:] == (0, -127, 127, torch.int8)
    stored, scale, zero = (getattr(converted, a.target) for a in dq.args[:3])  # pyright: ignore[reportAttributeAccessIssue]
    assert stored.dtype == torch.int8 and not zero.any()
    steps = stored - prepared.get_parameter("conv_a.weight") / scale.reshape(-1, 1, 1, 1)
    assert steps.abs().max() < 0.501


def test_balance_of_the_tiny_net(tiny: Stages) -> None:
    prepare, convert = node_changes(tiny[0], tiny[1]), node_changes(tiny[1], tiny[2])
    assert (len(prepare["added"]), len(prepare["removed"])) == (16, 24)
    assert (len(convert["added"]), len(convert["removed"])) == (28 + 15, 16 + 5)


def test_node_changes_see_the_order_of_inputs(residual: Stages) -> None:
    exported = residual[0]
    moved = copy.deepcopy(exported)
    add = _node(moved, "add")
    add.args = tuple(reversed(add.args))
    assert node_changes(exported, moved) == {"added": [], "removed": [], "rewired": ["add"]}
    assert node_changes(exported, copy.deepcopy(exported)) == {"added": [], "removed": [], "rewired": []}
