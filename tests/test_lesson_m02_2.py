"""The facts that lesson m02_2 shows, on the machine that runs the tests."""

import copy

import pytest
import torch

from common.data import random_batches
from common.env import quiet
from common.graph_utils import observer_nodes, splice, sqnr
from common.models import example_inputs, get_model
from common.pt2e import (
    FakeQuantize,
    MinMaxObserver,
    PerChannelMinMaxObserver,
    disable_fake_quant,
    disable_observer,
    enable_observer,
    export_module,
    get_xnnpack_quantizer,
    prepare_pt2e,
)

quiet()


@pytest.fixture
def model() -> torch.nn.Module:
    return get_model("conv_relu").eval()


@pytest.fixture
def gm(model: torch.nn.Module) -> torch.fx.GraphModule:
    return export_module(model, example_inputs())


def _put(gm: torch.fx.GraphModule, modules: dict[str, torch.nn.Module]) -> torch.fx.GraphModule:
    changed = copy.deepcopy(gm)
    nodes = {n.name: n for n in changed.graph.nodes}
    for i, (name, module) in enumerate(modules.items()):
        splice(changed, nodes[name], module, f"activation_post_process_{i}")
    changed.recompile()
    return changed


def _with_fake_quant(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
    common = {"dtype": torch.int8, "eps": 2**-12, "quant_max": 127}
    act = {"observer": MinMaxObserver, "qscheme": torch.per_tensor_affine, "quant_min": -128} | common
    weight = {"observer": PerChannelMinMaxObserver, "qscheme": torch.per_channel_symmetric, "quant_min": -127} | common
    return _put(gm, {"x": FakeQuantize(**act), "conv_weight": FakeQuantize(**weight), "relu": FakeQuantize(**act)})


def test_nodes_of_the_small_net(gm: torch.fx.GraphModule) -> None:
    names = [n.name for n in gm.graph.nodes]
    assert [n for n in names if n != "_guards_fn"] == ["conv_weight", "conv_bias", "x", "conv2d", "relu", "output"]


def test_by_hand_is_what_prepare_does(gm: torch.fx.GraphModule) -> None:
    quantizer, _source = get_xnnpack_quantizer(is_per_channel=True)
    config = quantizer.global_config

    def build(spec, **axis):
        settings = {k: getattr(spec, k) for k in ("dtype", "quant_min", "quant_max", "qscheme")}
        return spec.observer_or_fake_quant_ctr(**settings, **axis)

    act, weight = config.input_activation, config.weight
    manual = _put(gm, {"x": build(act), "conv_weight": build(weight, ch_axis=0), "relu": build(act)})
    auto = prepare_pt2e(copy.deepcopy(gm), quantizer)
    for graph in (manual, auto):
        for batch in random_batches(32, seed=0):
            graph(*batch)
    ours = {node.args[0].name: observer for node, observer in observer_nodes(manual)}
    theirs = {node.args[0].name: observer for node, observer in observer_nodes(auto)}
    assert set(ours) == set(theirs) == {"x", "conv_weight", "relu"}
    for place, observer in ours.items():
        assert type(observer) is type(theirs[place])
        for mine, other in zip(observer.calculate_qparams(), theirs[place].calculate_qparams(), strict=True):
            assert torch.equal(mine, other)


def test_quantizer_carries_its_eps() -> None:
    config = get_xnnpack_quantizer()[0].global_config
    assert config.input_activation.observer_or_fake_quant_ctr.p.keywords["eps"] == 2**-12
    assert config.weight.observer_or_fake_quant_ctr.p.keywords["eps"] == 2**-12


def test_observers_change_nothing_and_fake_quant_does(model: torch.nn.Module, gm: torch.fx.GraphModule) -> None:
    observed = prepare_pt2e(copy.deepcopy(gm), get_xnnpack_quantizer()[0])
    (x,) = example_inputs(seed=1)
    reference, fake = model(x), _with_fake_quant(gm)(x)
    assert torch.equal(observed(x), reference)
    assert not torch.equal(fake, reference)
    assert 20 < sqnr(reference, fake) < 60


def test_two_switches(model: torch.nn.Module, gm: torch.fx.GraphModule) -> None:
    fake = _with_fake_quant(gm)
    (x,) = example_inputs(seed=1)

    def scale_after(factor: float) -> float:
        fake(factor * x)
        return float(fake.get_submodule("activation_post_process_0").scale)

    first, larger = scale_after(1), scale_after(5)
    assert larger > first
    fake.apply(disable_observer)
    assert scale_after(50) == larger
    fake.apply(enable_observer)
    assert scale_after(1) == larger
    fake.apply(disable_fake_quant)
    assert torch.equal(fake(100 * x), model(100 * x))
    assert scale_after(100) > larger
