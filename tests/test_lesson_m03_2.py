"""The facts that lesson m03_2 shows, on the machine that runs the tests."""

from typing import Any

import pytest
import torch
from torch import nn

from common.checks.m03_1._labels import observed
from common.checks.m03_2._labelled import GUARDS, labelled, prepared, reason
from common.env import quiet
from common.exercise import Case
from common.graph_utils import observer_nodes
from common.models import example_inputs, get_model
from common.pt2e import (
    ANNOTATION_KEY,
    XNNPACK_SOURCE,
    SharedQuantizationSpec,
    XNNPACKQuantizer,
    export_module,
    get_xnnpack_quantizer,
    prepare_pt2e,
)

quiet()


def _export(name: str) -> torch.fx.GraphModule:
    return export_module(get_model(name).eval(), example_inputs())


def _labelled(name: str) -> dict[str, Any]:
    """The nodes of a net by name, with the labels of the quantizer."""
    gm = _export(name)
    get_xnnpack_quantizer()[0].annotate(gm)
    return {n.name: n for n in gm.graph.nodes}


def _prepared(name: str, quantizer: XNNPACKQuantizer) -> torch.fx.GraphModule:
    return prepare_pt2e(_export(name), quantizer)


def _observed(name: str, quantizer: XNNPACKQuantizer) -> list[str]:
    return [str(n.args[0]) for n, _observer in observer_nodes(_prepared(name, quantizer))]


def _global() -> XNNPACKQuantizer:
    return get_xnnpack_quantizer()[0]


@pytest.fixture(scope="module")
def config() -> Any:
    return _global().global_config


def test_the_quantizer_is_that_of_torchao() -> None:
    assert XNNPACK_SOURCE == "torchao.testing"
    assert XNNPACKQuantizer.__module__ == "torchao.testing.pt2e._xnnpack_quantizer"
    own = vars(XNNPACKQuantizer)
    assert {"annotate", "validate", "transform_for_annotation"} <= set(own)
    assert "prepare_obs_or_fq_callback" not in own
    assert own["validate"](_global(), _export("conv_relu")) is None


def test_larger_patterns_come_first(config: Any) -> None:
    class Reversed(XNNPACKQuantizer):
        STATIC_OPS = XNNPACKQuantizer.STATIC_OPS[::-1]

    assert len(_observed("residual", _global())) == 6
    turned = _observed("residual", Reversed().set_global(config))
    assert len(turned) == 8 and "conv2d" in turned


def test_labels_of_conv_and_relu() -> None:
    nodes = _labelled("residual")
    conv, relu, weight = (nodes[n].meta[ANNOTATION_KEY] for n in ("conv2d", "relu", "conv_a_weight"))
    assert conv.output_qspec is None and conv.input_qspec_map[nodes["conv_a_bias"]] is None
    assert relu.output_qspec is not None and not relu.input_qspec_map
    assert not weight.input_qspec_map and weight.output_qspec is None


def test_shared_labels_lead_to_one_object() -> None:
    nodes = _labelled("pool_chain")
    for name in ("max_pool2d", "adaptive_avg_pool2d", "flatten"):
        assert isinstance(nodes[name].meta[ANNOTATION_KEY].output_qspec, SharedQuantizationSpec)
    objects = {str(n.args[0]): id(o) for n, o in observer_nodes(_prepared("pool_chain", _global()))}
    assert objects["relu"] == objects["max_pool2d"]
    assert objects["relu_2"] == objects["adaptive_avg_pool2d"] == objects["flatten"]


def test_cat_gets_no_label() -> None:
    assert "cat" in XNNPACKQuantizer.STATIC_OPS
    nodes = _labelled("cat_pool")
    found = [name for name, n in nodes.items() if n.op == "call_function" and ANNOTATION_KEY in n.meta]
    assert found == ["conv2d", "conv2d_1"]


def test_a_conv_with_two_readers_is_not_fused() -> None:
    nodes = _labelled("gate")
    assert nodes["conv2d"].meta[ANNOTATION_KEY].output_qspec is not None
    assert isinstance(nodes["relu"].meta[ANNOTATION_KEY].output_qspec, SharedQuantizationSpec)
    assert all(ANNOTATION_KEY not in nodes[name].meta for name in ("sigmoid", "relu_1"))
    observers = {str(n.args[0]): id(o) for n, o in observer_nodes(_prepared("gate", _global()))}
    assert observers["conv2d"] == observers["relu"]


def test_a_config_by_name_labels_linears_only(config: Any) -> None:
    assert _observed("residual", XNNPACKQuantizer().set_module_name("conv_b", config)) == []
    both = _observed("residual", _global().set_module_name("conv_b", config))
    assert "conv_a_weight" in both and "conv_b_weight" not in both
    linear = _observed("linear_relu", XNNPACKQuantizer().set_module_name("fc_b", config))
    assert sorted(linear) == ["fc_b_weight", "linear_1", "relu"]


def test_a_weight_does_not_say_where_it_comes_from() -> None:
    nodes = _labelled("residual")
    assert not nodes["conv_b_weight"].meta.get("nn_module_stack")
    assert nodes["conv2d_1"].meta["nn_module_stack"]


def test_settings_that_leave_nothing_out(config: Any) -> None:
    by_operator: Any = _global()
    by_operator.set_operator_type(torch.ops.aten.conv2d, None)
    assert len(_observed("residual", by_operator)) == 6
    with pytest.raises(AssertionError, match="None is not supported"):
        _global().set_module_name("conv_a", None)


@pytest.mark.parametrize(
    ("net", "module_type", "before", "after"),
    [
        ("residual", nn.Conv2d, 6, 3),
        ("pool_chain", nn.Linear, 12, 10),
        ("pool_chain", nn.MaxPool2d, 12, 12),
        ("residual", nn.ReLU, 6, 8),
    ],
)
def test_what_a_type_without_config_leaves_out(net: str, module_type: type, before: int, after: int) -> None:
    quantizer: Any = _global()
    assert len(_observed(net, _global())) == before
    assert len(_observed(net, quantizer.set_module_type(module_type, None))) == after


def test_a_linear_that_is_left_out_reads_an_observed_value() -> None:
    quantizer: Any = _global()
    gm = _prepared("pool_chain", quantizer.set_module_type(nn.Linear, None))
    reads = [str(a) for a in next(n for n in gm.graph.nodes if n.name == "linear").args]
    assert reads[0].startswith("activation_post_process") and reads[1:] == ["fc_weight", "fc_bias"]


@pytest.mark.parametrize("net", ["residual", "gate", "pool_chain", "add_pool", "linear_relu", "branches", "cat_pool"])
@pytest.mark.parametrize("without", [None, "Conv2d"])
def test_the_five_words_say_what_prepare_does(net: str, without: str | None) -> None:
    """The rule of exercise 2 is a rule about labels; prepare_pt2e must agree with it on every edge."""
    case = Case(model=net, without=without)
    gm, after = labelled(case), prepared(case)
    edges = {(i.name, n.name) for n in gm.graph.nodes if n.name != GUARDS for i in n.all_input_nodes}
    told = {edge: reason(gm, *edge) for edge in edges}
    assert {edge for edge, word in told.items() if word in ("own", "shared")} == observed(after)
    places: dict[int, set[str]] = {}
    for node, observer in observer_nodes(after):
        places.setdefault(id(observer), set()).add(str(node.args[0]))
    together = {value for values in places.values() if len(values) > 1 for value in values}
    assert {a for (a, _b), word in told.items() if word == "shared"} <= together
