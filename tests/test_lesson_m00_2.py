"""The facts that lesson m00_2 shows, on the machine that runs the tests."""

import math

import torch

from common.env import quiet
from common.models import example_inputs, get_model
from common.pt2e import export_module

quiet()

aten = torch.ops.aten


def _export(name: str) -> torch.fx.GraphModule:
    return export_module(get_model(name).eval(), example_inputs())


def _nodes(name: str) -> dict[str, torch.fx.Node]:
    return {n.name: n for n in _export(name).graph.nodes}


def test_an_edge_stands_in_the_graph_twice() -> None:
    for name in ("residual", "cat_pool", "twice_used", "tiny"):
        nodes = _nodes(name)
        down = {(a, b.name) for a, n in nodes.items() for b in n.users}
        up = {(a.name, b) for b, n in nodes.items() for a in n.all_input_nodes}
        assert down == up


def test_three_traps() -> None:
    twice, cat, residual = _nodes("twice_used"), _nodes("cat_pool"), _nodes("residual")
    assert twice["add"].args[0] is twice["add"].args[1] and len(twice["relu"].users) == 1
    assert isinstance(cat["cat"].args[0], list) and len(cat["cat"].all_input_nodes) == 2
    in_graph_order = [name for name, n in residual.items() if n in residual["x"].users]
    assert [n.name for n in residual["x"].users] != in_graph_order


def test_meta_of_the_classifier() -> None:
    nodes = _nodes("tiny")
    ops = [n for n in nodes.values() if n.op == "call_function"]
    paths = {n.name: list(n.meta["nn_module_stack"].values())[-1][0] for n in ops}
    assert (paths["conv2d_1"], paths["relu_2"], paths["add"]) == ("conv2", "relu3", "")
    assert "relu3" in nodes["add"].meta["stack_trace"].splitlines()[1]
    numbers = [math.prod(n.meta["val"].shape[1:]) for n in ops]
    assert numbers[0] == max(numbers) == 16 * 16 * 16 and numbers[-1] == min(numbers) == 4


def test_four_kinds_of_relu() -> None:
    targets = [n.target for n in _nodes("relu_kinds").values() if n.op == "call_function"]
    assert targets[1::2] == [aten.relu.default, aten.relu6.default, aten.hardtanh.default, aten.relu_.default]
    assert not any(t == aten.relu for t in targets)
    assert [getattr(t, "overloadpacket", None) == aten.relu for t in targets].count(True) == 1


def test_a_second_reader() -> None:
    nodes = _nodes("side_reader")
    assert [u.name for u in nodes["conv2d"].users] == ["relu", "add"]
    assert [u.name for u in nodes["conv2d_1"].users] == ["add"] and nodes["add"].args[1] is nodes["conv2d_1"]


def test_the_first_input_is_not_the_only_way_up() -> None:
    node, way = _nodes("branches")["cat"], []
    while node.all_input_nodes:
        node = node.all_input_nodes[0]
        way.append(node.name)
    assert way == ["relu_1", "conv2d_1", "relu", "conv2d", "x"]


def test_an_op_that_works_on_weights_alone() -> None:
    nodes = _nodes("split_weight")
    assert {n.op for n in nodes["cat"].all_input_nodes} == {"get_attr"}
    assert nodes["linear"].args[1] is nodes["cat"]


def test_notes_are_not_brought_up_to_date() -> None:
    gm = _export("residual")
    nodes = {n.name: n for n in gm.graph.nodes}
    conv, last = nodes["conv2d"], nodes["relu_1"]
    conv.args = (*conv.args[:3], [2, 2], [1, 1])
    with gm.graph.inserting_after(last):
        new = gm.graph.call_function(aten.neg.default, (last,))
    gm.recompile()
    assert not new.meta and last.meta["val"].shape[2:] == (16, 16)
    assert gm(*example_inputs()).shape[2:] == (8, 8)
