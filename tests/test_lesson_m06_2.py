"""The facts that lesson m06_2 shows, on the machine that runs the tests."""

import copy

import pytest
import torch

from common import qat_bn
from common.checks.m06_1 import _nets as nets
from common.env import quiet
from common.pt2e import (
    convert_pt2e,
    disable_fake_quant,
    disable_observer,
    export_module,
    move_exported_model_to_eval,
    move_exported_model_to_train,
    prepare_qat_pt2e,
)
from common.qat import CurveNet, Tools, curve, curve_grid, fit, qat_graph, qat_quantizer, trained_curve_net

quiet()


def _difference(bits: int, *, fused: bool) -> float:
    graph, (x, _y) = qat_graph(trained_curve_net(0), bits, fused=fused), curve_grid()
    fit(graph, curve(seed=0), 20, 0.005)
    graph.apply(disable_observer)
    converted = convert_pt2e(copy.deepcopy(graph))
    with torch.no_grad():
        return float((graph(x) - converted(x)).abs().max())


def test_plain_fake_quant_is_exact_and_the_fused_one_is_not() -> None:
    assert _difference(2, fused=False) == 0
    assert _difference(2, fused=True) > 0


def test_a_measurement_teaches_observers_that_are_on() -> None:
    graph, (x, _y) = nets.fake_quantized("curve", 0, 4), curve_grid()
    graph(x)
    before = [float(m.scale.flatten()[0]) for m in nets.fake_quants(graph).values()]
    graph(3 * x)
    assert [float(m.scale.flatten()[0]) for m in nets.fake_quants(graph).values()] != before
    graph.apply(disable_observer)
    frozen = [m.scale.clone() for m in nets.fake_quants(graph).values()]
    graph(9 * x)
    assert all(torch.equal(m.scale, s) for m, s in zip(nets.fake_quants(graph).values(), frozen, strict=True))


def test_the_mode_of_batch_norm_is_a_flag_in_the_graph() -> None:
    graph = nets.fake_quantized("linear_bn", 0, 4, train=True)
    assert nets.training_flags(graph) == [True]
    move_exported_model_to_eval(graph)
    assert nets.training_flags(graph) == [False]
    move_exported_model_to_train(graph)
    assert nets.training_flags(graph) == [True]


def test_without_rounding_the_loss_is_lower_and_the_net_is_not_better() -> None:
    net, data, found = trained_curve_net(1), curve(seed=1), []
    for change in (disable_observer, disable_fake_quant):
        graph = qat_graph(net, 3)
        fit(graph, data, 60, 0.005)
        graph.apply(change)
        losses = fit(graph, data, 60, 0.005)
        found.append((losses[-1], Tools(3).score(convert_pt2e(graph), curve_grid())))
    (rounded, good), (unrounded, bad) = found
    assert unrounded < rounded and bad < good


def test_tools_leave_the_net_as_it_is() -> None:
    net, data, tools = trained_curve_net(0), curve(64, seed=3), Tools(3)
    before = {k: v.clone() for k, v in net.state_dict().items()}
    models = [tools.fine_tune(net, data, 3), tools.ptq(net, data), tools.qat(net, data, 3)]
    assert all(torch.isfinite(torch.tensor(tools.score(m, data))) for m in models)
    assert all(torch.equal(before[k], v) for k, v in net.state_dict().items())
    assert not net.training


def test_the_stored_result_with_batch_norm_says_what_the_lesson_says() -> None:
    stored = qat_bn.stored()
    assert stored["exported"] == {"conv2d": 1, "batch_norm": 1, "relu": 1}
    assert stored["prepared"]["sqrt"] == 1 and stored["prepared"]["batch_norm"] == 1
    assert "batch_norm" not in stored["converted"] and "sqrt" not in stored["converted"]
    assert stored["largest difference in steps of the output"] <= 1


@pytest.mark.parametrize("bits", [3])
def test_qat_gains_over_the_control_with_few_bits(bits: int) -> None:
    tools, test = Tools(bits), curve_grid()
    for seed in range(2):
        net, train = trained_curve_net(seed), curve(seed=seed)
        control = tools.score(tools.ptq(tools.fine_tune(net, train, 200), train), test)
        assert tools.score(tools.qat(net, train, 200), test) > control


@pytest.mark.parametrize(("bits", "fused"), [(4, False), (2, True)])
def test_a_graph_with_other_modules_is_the_one_that_prepare_makes(bits: int, fused: bool) -> None:
    """Only the first graph of a process is prepared, as that takes long; the others get other modules."""
    exported = export_module(CurveNet().eval(), (torch.zeros(2, 1),))
    prepared = prepare_qat_pt2e(exported, qat_quantizer(bits, fused=fused))
    quick = qat_graph(CurveNet(), bits, fused=fused)
    assert quick.code == prepared.code
    modules, wanted = ([(n, repr(m)) for n, m in gm.named_modules() if n] for gm in (quick, prepared))
    assert modules == wanted
    states = [{k: (v.shape, v.dtype) for k, v in gm.state_dict().items()} for gm in (quick, prepared)]
    assert states[0] == states[1]
