"""The facts that lesson m00_3 shows, on the machine that runs the tests."""

import copy
import math

import pytest
import torch
from torch import fx

from common.data import stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import node_outputs, sqnr
from common.models import example_inputs, get_model
from common.pt2e import export_module

quiet()


def _round_to(x: torch.Tensor, bits: int) -> torch.Tensor:
    step = x.abs().max() / (2 ** (bits - 1) - 1)
    return torch.round(x / step) * step


@pytest.fixture(scope="module")
def gm() -> fx.GraphModule:
    return export_module(trained_tiny_net(), example_inputs())


@pytest.fixture(scope="module")
def small() -> fx.GraphModule:
    return export_module(get_model("conv_relu").eval(), example_inputs())


@pytest.fixture(scope="module")
def pictures() -> torch.Tensor:
    return stripes(64, seed=3)[0]


def _ops(gm: fx.GraphModule) -> list[str]:
    return [n.name for n in gm.graph.nodes if n.op == "call_function"]


def test_an_interpreter_computes_what_the_graph_computes(small: fx.GraphModule) -> None:
    (x,) = example_inputs(seed=1)
    assert torch.equal(fx.Interpreter(small).run(x), small(x))


def test_hooks_see_no_op(small: fx.GraphModule) -> None:
    hooked, fired = copy.deepcopy(small), []
    for name, module in hooked.named_modules():
        module.register_forward_hook(lambda module, args, output, name=name: fired.append(name))
    hooked(*example_inputs())
    assert fired == ["_guards_fn", ""]


def test_an_interpreter_frees_values_and_meta_has_none(small: fx.GraphModule) -> None:
    (x,) = example_inputs()
    interpreter = fx.Interpreter(small)
    interpreter.run(x)
    assert not {n.name for n in interpreter.env} & set(_ops(small))
    keeping = fx.Interpreter(small, garbage_collect_values=False)
    keeping.run(x)
    assert set(_ops(small)) <= {n.name for n in keeping.env}
    relu = next(n for n in small.graph.nodes if n.name == "relu")
    assert type(relu.meta["val"]).__name__ == "FakeTensor"


def test_ops_in_place_overwrite_what_was_stored() -> None:
    gm = export_module(get_model("in_place").eval(), example_inputs())
    (x,) = example_inputs(seed=1)
    keeping = fx.Interpreter(gm, garbage_collect_values=False)
    with torch.no_grad():
        keeping.run(x)
    stored = {n.name: v for n, v in keeping.env.items() if n.op == "call_function"}
    kept = {name: torch.equal(value, stored[name]) for name, value in node_outputs(gm, x).items()}
    assert kept == {"conv2d": False, "relu_": False, "add_": True, "conv2d_1": True}
    assert len({t.data_ptr() for t in stored.values()}) == 2


def test_node_outputs_copies_and_leaves_lists_out() -> None:
    gm = export_module(get_model("halves").eval(), example_inputs())
    (x,) = example_inputs(seed=2)
    found = node_outputs(gm, x)
    assert set(_ops(gm)) - set(found) == {"chunk"}
    assert found["cat"].min() < 0 and found["relu_"].min() == 0
    with torch.no_grad():
        assert torch.equal(found["tanh"], gm(x))
    assert not any(t.requires_grad for t in found.values())


def test_a_bit_is_about_six_decibels(gm: fx.GraphModule, pictures: torch.Tensor) -> None:
    signal = node_outputs(gm, pictures)["conv2d"]
    db = [sqnr(signal, _round_to(signal, bits)) for bits in range(2, 13)]
    assert 5.5 < (db[-1] - db[0]) / 10 < 6.6
    eight = _round_to(signal, 8)
    assert sqnr(10 * signal, 10 * eight) == pytest.approx(sqnr(signal, eight), abs=0.01)
    twice = sqnr(signal, signal + 2 * (eight - signal))
    assert sqnr(signal, eight) - twice == pytest.approx(20 * math.log10(2), abs=0.01)


def test_where_the_two_graphs_part(gm: fx.GraphModule, pictures: torch.Tensor) -> None:
    suspect = copy.deepcopy(gm)
    with torch.no_grad():
        weight = suspect.get_parameter("conv3.weight")
        weight.copy_(_round_to(weight, 5))
    assert suspect.code == gm.code
    reference, other = node_outputs(gm, pictures), node_outputs(suspect, pictures)
    db = {name: sqnr(reference[name], other[name]) for name in reference}
    finite = {name: value for name, value in db.items() if value != math.inf}
    first, worst, last = next(iter(finite)), min(finite, key=finite.__getitem__), list(db)[-1]
    assert (first, worst, last) == ("conv2d_2", "batch_norm_2", "linear")
    assert db[last] - db[first] > 3


def test_an_interpreter_that_rounds_leaves_the_graph_alone(gm: fx.GraphModule, pictures: torch.Tensor) -> None:
    class Rounding(fx.Interpreter):
        bits = 8

        def run_node(self, n: fx.Node) -> object:
            value = super().run_node(n)
            return _round_to(value, self.bits) if n.op == "call_function" else value

    with torch.no_grad():
        before = gm(pictures)
        rounded = Rounding(gm).run(pictures)
        assert torch.equal(gm(pictures), before)
    assert 20 < sqnr(before, rounded) < 50
