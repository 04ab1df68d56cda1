"""The facts that lesson m00_1 shows, on the machine that runs the tests."""

import logging

import pytest
import torch
from torch import nn

from common.env import quiet
from common.models import example_inputs, get_model
from common.pt2e import export_module

quiet()


@pytest.fixture
def model() -> nn.Module:
    return get_model("conv_relu").eval()


def _kinds(gm: torch.fx.GraphModule) -> list[tuple[str, str]]:
    return [(n.op, n.name) for n in gm.graph.nodes]


def test_nodes_of_the_small_net_in_both_forms(model: nn.Module) -> None:
    program = torch.export.export(model, example_inputs())
    assert _kinds(program.module()) == [
        ("get_attr", "conv_weight"),
        ("get_attr", "conv_bias"),
        ("placeholder", "x"),
        ("call_module", "_guards_fn"),
        ("call_function", "conv2d"),
        ("call_function", "relu"),
        ("output", "output"),
    ]
    inputs = [n.name for n in program.graph.nodes if n.op == "placeholder"]
    assert inputs == ["p_conv_weight", "p_conv_bias", "x"]
    specs = [(s.arg.name, s.kind.name, s.target) for s in program.graph_signature.input_specs]
    assert specs[0] == ("p_conv_weight", "PARAMETER", "conv.weight") and specs[2] == ("x", "USER_INPUT", None)


def test_a_graph_holds_the_models_own_tensors(model: nn.Module) -> None:
    gm = torch.export.export(model, example_inputs()).module()
    assert gm.get_parameter("conv.weight") is model.conv.weight


def test_overload_packet_and_python_function() -> None:
    halves = export_module(get_model("gated_halves").eval(), example_inputs())
    nodes = {n.name: n for n in halves.graph.nodes}
    aten = torch.ops.aten
    assert nodes["mean"].target == aten.mean.default and nodes["mean_1"].target == aten.mean.dim
    assert nodes["mean_1"].target != aten.mean and nodes["mean_1"].target.overloadpacket == aten.mean
    assert not hasattr(nodes["getitem"].target, "overloadpacket") and nodes["getitem"].target.__name__ == "getitem"


def test_tied_convolutions_read_one_node() -> None:
    nodes = {n.name: n for n in export_module(get_model("tied").eval(), example_inputs()).graph.nodes}
    assert nodes["conv2d"].args[1] is nodes["conv2d_1"].args[1]
    assert len([n for n in nodes.values() if n.op == "get_attr" and not n.users]) == 1


def test_a_branch_on_data_is_refused() -> None:
    class Branch(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x if x.sum() > 0 else -x

    with pytest.raises(Exception, match="data-dependent"):
        torch.export.export(Branch(), example_inputs())


def test_the_mode_is_fixed() -> None:
    net = get_model("conv_bn_drop")
    trains = export_module(net.train(), example_inputs())
    flags = {n.name: n.args for n in trains.graph.nodes}
    assert flags["batch_norm"][5] is True and flags["dropout"][2] is True and "add_" in flags
    with pytest.raises(NotImplementedError):
        trains.eval()


@pytest.mark.parametrize(("batch", "free", "runs"), [(4, False, [4]), (4, True, [1, 2, 4, 7]), (1, True, [1])], ids=str)
def test_which_batches_run(model: nn.Module, batch: int, free: bool, runs: list[int]) -> None:
    logging.disable(logging.WARNING)
    shapes = ({0: torch.export.Dim.AUTO},) if free else None
    gm = torch.export.export(model, example_inputs(batch), dynamic_shapes=shapes).module()
    logging.disable(logging.NOTSET)
    for size in (1, 2, 4, 7):
        if size in runs:
            assert gm(*example_inputs(size)).shape[0] == size
        else:
            with pytest.raises(AssertionError, match=f"== {batch}"):
                gm(*example_inputs(size))


def test_stricter_dimensions_refuse_a_batch_of_one(model: nn.Module) -> None:
    for size in (torch.export.Dim.DYNAMIC, torch.export.Dim("batch")):
        with pytest.raises(Exception, match="specialized"):
            torch.export.export(model, example_inputs(1), dynamic_shapes=({0: size},))
        torch.export.export(model, example_inputs(4), dynamic_shapes=({0: size},))


def test_a_size_that_is_used_becomes_a_node() -> None:
    names = [n.name for n in export_module(get_model("reshape_linear").eval(), example_inputs()).graph.nodes]
    assert any(name.startswith("sym_size") for name in names)
