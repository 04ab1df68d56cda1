"""The facts that lesson m00_4 shows, on the machine that runs the tests."""

import contextlib
import copy
import io
import math

import pytest
import torch
from torch import fx

from common.checks._nets import exported
from common.data import stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import node_outputs, op_counts, splice_op, sqnr
from common.models import example_inputs
from common.pt2e import export_module

quiet()
aten = torch.ops.aten


@pytest.fixture
def gm() -> fx.GraphModule:
    return exported("conv_relu", 0)


@pytest.fixture
def x() -> torch.Tensor:
    return example_inputs(seed=1)[0]


def _node(gm: fx.GraphModule, name: str) -> fx.Node:
    return next(n for n in gm.graph.nodes if n.name == name)


def test_who_sees_a_change(gm: fx.GraphModule, x: torch.Tensor) -> None:
    old, relu = gm(x), _node(gm, "relu")
    with gm.graph.inserting_after(relu):
        neg = gm.graph.call_function(aten.neg.default, (relu,))
    assert not neg.meta and not neg.users
    gm.recompile()
    assert torch.equal(gm(x), old)
    _node(gm, "output").replace_input_with(relu, neg)
    assert torch.equal(gm(x), old)
    assert torch.equal(fx.Interpreter(gm).run(x), -old)
    assert torch.equal(copy.deepcopy(gm)(x), -old)
    gm.recompile()
    assert torch.equal(gm(x), -old)


@pytest.mark.parametrize("how", ["before", "nowhere", "itself"])
def test_lint_finds_what_is_out_of_order(gm: fx.GraphModule, x: torch.Tensor, how: str) -> None:
    relu = _node(gm, "relu")
    place = contextlib.nullcontext() if how == "nowhere" else gm.graph.inserting_after(relu)
    if how == "before":
        place = gm.graph.inserting_before(relu)
    with place:
        neg = gm.graph.call_function(aten.neg.default, (relu,))
    if how == "itself":
        relu.replace_all_uses_with(neg)
    else:
        _node(gm, "output").replace_input_with(relu, neg)
    with pytest.raises(RuntimeError, match="used before it has been defined"):
        gm.graph.lint()
    gm.recompile()
    with contextlib.redirect_stderr(io.StringIO()), pytest.raises(UnboundLocalError):
        gm(x)


@pytest.mark.parametrize(("target", "runs"), [(aten.add.Tensor, False), (aten.sum.default, True)])
def test_lint_knows_no_arguments_and_no_shapes(gm: fx.GraphModule, x: torch.Tensor, target, runs: bool) -> None:
    relu = _node(gm, "relu")
    with gm.graph.inserting_after(relu):
        new = gm.graph.call_function(target, (relu,))
    _node(gm, "output").replace_input_with(relu, new)
    gm.graph.lint()
    gm.recompile()
    if runs:
        assert gm(x).shape == ()
    else:
        with contextlib.redirect_stderr(io.StringIO()), pytest.raises(RuntimeError, match="missing value"):
            gm(x)


def test_a_node_that_is_read_cannot_be_erased(gm: fx.GraphModule) -> None:
    with pytest.raises(RuntimeError, match="Tried to erase Node relu"):
        gm.graph.erase_node(_node(gm, "relu"))


def test_which_op_it_is() -> None:
    calls = [n for n in exported("many_ops", 0).graph.nodes if n.op == "call_function"]
    assert sum(n.target == aten.relu.default for n in calls) == 2
    assert not any(n.target == aten.relu for n in calls)
    assert sum("relu" in str(n.target) for n in calls) == 3
    assert {str(n.target) for n in calls} >= {"aten.mean.default", "aten.mean.dim"}
    assert dict(next(n for n in calls if n.name == "add").kwargs) == {"alpha": 2}


def test_dropout_for_inference_does_nothing(x: torch.Tensor) -> None:
    gm = exported("conv_bn_drop", 0)
    before, dropout = gm(x), _node(gm, "dropout")
    dropout.replace_all_uses_with(dropout.args[0])
    gm.graph.erase_node(dropout)
    gm.recompile()
    assert torch.equal(gm(x), before)


def test_what_is_left_over_by_a_batch_norm() -> None:
    gm = exported("conv_bn_drop", 0)
    node = _node(gm, "batch_norm")
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)

    def unread() -> set[str]:
        return {n.name for n in gm.graph.nodes if not n.users and n.op != "output"}

    assert unread() > {"bn_weight", "bn_bias", "bn_running_mean", "bn_running_var"}
    gm.graph.eliminate_dead_code()
    assert unread() == {"_guards_fn"}


def test_an_op_in_place_is_not_dead(x: torch.Tensor) -> None:
    gm = exported("halves", 0)
    before = gm(x)
    assert not _node(gm, "relu_").users
    gm.graph.eliminate_dead_code()
    gm.recompile()
    assert torch.equal(gm(x), before)
    gm.graph.erase_node(_node(gm, "relu_"))
    gm.recompile()
    assert not torch.equal(gm(x), before)


def test_rounding_in_the_graph() -> None:
    tiny, (pictures, _labels) = export_module(trained_tiny_net(), example_inputs()), stripes(64, seed=3)
    reference = node_outputs(tiny, pictures)
    at_output = []
    for bits in (8, 6, 4, 3):
        gm, top = copy.deepcopy(tiny), 2**bits - 1
        for node in list(gm.graph.nodes):
            if node.target == aten.relu.default:
                scale = reference[node.name].max().item() / top
                splice_op(gm, node, aten.fake_quantize_per_tensor_affine.default, scale, 0, 0, top)
        gm.graph.lint()
        gm.recompile()
        assert op_counts(gm)["fake_quantize_per_tensor_affine"] == 4
        values = node_outputs(gm, pictures)
        db = {name: sqnr(reference[name], values[name]) for name in reference}
        assert next(name for name, value in db.items() if value != math.inf) == "max_pool2d"
        at_output.append(db["linear"])
    assert at_output == sorted(at_output, reverse=True)
    assert at_output[0] > 35
