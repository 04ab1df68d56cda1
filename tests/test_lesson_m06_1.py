"""The facts that lesson m06_1 shows, on the machine that runs the tests."""

import copy

import pytest
import torch
from torch import nn

from common.checks.m06_1 import _nets as nets
from common.checks.m06_1.qat_prepare import KNOW_THE_MODE, PLACES
from common.env import quiet
from common.graph_utils import observer_nodes
from common.pt2e import (
    disable_observer,
    export_module,
    get_xnnpack_quantizer,
    move_exported_model_to_train,
    prepare_qat_pt2e,
)
from common.qat import curve, curve_db, fit, ptq_graph, qat_graph, trained_curve_net

quiet()


def _prepared(name: str, *, is_qat: bool = True) -> torch.fx.GraphModule:
    exported = export_module(nets.net(name, 0).eval(), (nets.points(name, 0, 4),))
    return prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=is_qat)[0])


@pytest.mark.parametrize("name", PLACES)
def test_places_are_those_of_prepare_qat(name: str) -> None:
    prepared = _prepared(name)
    observed = [node.all_input_nodes[0] for node, _module in observer_nodes(prepared)]
    found = ["input" if n.op == "placeholder" else str(n.target) for n in observed]
    assert sorted(found) == sorted(PLACES[name])
    flags = nets.training_flags(prepared)
    assert len(flags) == KNOW_THE_MODE[name] and not any(flags)
    move_exported_model_to_train(prepared)
    assert all(nets.training_flags(prepared))


@pytest.mark.parametrize("name", ["curve", "deep_curve", "curve_drop"])
def test_nets_by_hand_are_those_of_prepare_qat(name: str) -> None:
    by_hand, prepared = nets.fake_quantized(name, 0, 8), _prepared(name)
    observed = [[str(node.args[0]) for node, _module in observer_nodes(gm)] for gm in (by_hand, prepared)]
    assert observed[0] == observed[1]


def test_a_quantizer_for_inference_puts_in_observers() -> None:
    kinds = {type(module).__name__ for _node, module in observer_nodes(_prepared("curve", is_qat=False))}
    assert kinds == {"HistogramObserver", "PerChannelMinMaxObserver"}


def test_a_graph_refuses_train_and_its_deep_copy_does_nothing() -> None:
    prepared = _prepared("curve_drop")
    with pytest.raises(NotImplementedError):
        prepared.train()
    twin = copy.deepcopy(prepared)
    twin.train()
    assert nets.training_flags(twin) == [False]


def test_switching_the_mode_changes_p_of_dropout() -> None:
    graph = export_module(nn.Sequential(nn.Linear(3, 6), nn.Dropout(0.1)).eval(), (torch.zeros(4, 3),))
    move_exported_model_to_train(graph)
    assert [n.args[1:] for n in graph.graph.nodes if "dropout" in str(n.target)] == [(0.5, True)]


def test_torch_s_own_gradient_is_straight_through() -> None:
    x = torch.tensor([-2.0, -0.9, 0.1, 0.7, 1.5], requires_grad=True)
    torch.fake_quantize_per_tensor_affine(x, 0.25, 0, -4, 3).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [0, 1, 1, 1, 0]


def test_training_with_three_bits_helps_and_frozen_scales_do_not() -> None:
    net, data = trained_curve_net(1), curve(seed=1)
    found = []
    for freeze in (False, True):
        graph = qat_graph(net, 3)
        with torch.no_grad():
            graph(data[0][:4])
        if freeze:
            graph.apply(disable_observer)
        fit(graph, data, 200, 0.005)
        graph.apply(disable_observer)
        found.append(curve_db(graph))
    assert found[0] > curve_db(ptq_graph(net, data, 3)) + 5
    assert found[0] > found[1] + 5


def test_a_fresh_fake_quant_has_no_scale_for_each_channel() -> None:
    graph = nets.fake_quantized("curve", 0, 4)
    graph.apply(disable_observer)
    with pytest.raises(RuntimeError, match="scale and zero-point are not consistent with input"):
        graph(nets.points("curve", 0, 4))
