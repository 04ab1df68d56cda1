"""The facts that the overview m01_0 and lesson m01_1 show, on the machine that runs the tests."""

import copy
from collections import Counter

import pytest
import torch

from common.data import calibration_batches, stripes, trained_tiny_net
from common.env import quiet
from common.graph_utils import compare, observer_nodes, op_counts, qdq_nodes, short, sqnr
from common.models import example_inputs, get_model
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

quiet()

CHAIN = (
    "conv2d batch_norm relu max_pool2d conv2d batch_norm relu conv2d batch_norm add relu max_pool2d "
    "conv2d batch_norm relu adaptive_avg_pool2d flatten linear"
)


@pytest.fixture(scope="module")
def model() -> torch.nn.Module:
    return trained_tiny_net()


@pytest.fixture(scope="module")
def gm(model: torch.nn.Module) -> torch.fx.GraphModule:
    return export_module(model, example_inputs())


@pytest.fixture(scope="module")
def prepared(gm: torch.fx.GraphModule) -> torch.fx.GraphModule:
    """Prepared and calibrated; tests that run it take a copy."""
    found = prepare_pt2e(copy.deepcopy(gm), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in calibration_batches():
            found(*batch)
    return found


@pytest.fixture(scope="module")
def quantized(prepared: torch.fx.GraphModule) -> torch.fx.GraphModule:
    return convert_pt2e(copy.deepcopy(prepared))


def test_ops_after_export(gm: torch.fx.GraphModule) -> None:
    assert [short(n.target) for n in gm.graph.nodes if n.op == "call_function"] == CHAIN.split()


def test_observers_of_the_tiny_net(prepared: torch.fx.GraphModule) -> None:
    found = observer_nodes(prepared)
    assert (len(found), len({id(o) for _n, o in found})) == (16, 12)
    kinds = Counter(type(o).__name__ for _n, o in found)
    assert kinds == {"PerChannelMinMaxObserver": 5, "HistogramObserver": 11}
    assert "batch_norm" not in op_counts(prepared)
    observed = [n.args[0].name for n, _o in found]
    assert "conv2d" not in observed  # a relu follows (behind the folded batch norm): one unit
    assert {"x", "relu", "max_pool2d", "conv2d_2", "linear"} <= set(observed)
    assert not any(name.endswith("bias") for name in observed)


def test_shared_observers(prepared: torch.fx.GraphModule) -> None:
    groups: dict[int, list[str]] = {}
    for node, observer in observer_nodes(prepared):
        groups.setdefault(id(observer), []).append(node.args[0].name)
    assert [g for g in groups.values() if len(g) > 1] == [
        ["relu", "max_pool2d"],
        ["relu_2", "max_pool2d_1"],
        ["relu_3", "adaptive_avg_pool2d", "flatten"],
    ]


def test_prepare_keeps_the_numbers(model: torch.nn.Module, gm: torch.fx.GraphModule) -> None:
    found = prepare_pt2e(copy.deepcopy(gm), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        assert sqnr(model(*example_inputs()), found(*example_inputs())) > 100


def test_prepare_and_convert_work_in_place(gm: torch.fx.GraphModule, model: torch.nn.Module) -> None:
    weights = copy.deepcopy(model.state_dict())
    mine = copy.deepcopy(gm)
    returned = prepare_pt2e(mine, get_xnnpack_quantizer()[0])
    assert returned.graph is mine.graph and len(observer_nodes(mine)) == 16
    assert "batch_norm" not in op_counts(mine)
    returned(*example_inputs())
    converted = convert_pt2e(returned)
    assert converted.graph is mine.graph
    assert not observer_nodes(returned) and len(qdq_nodes(mine)) == 28
    assert not observer_nodes(gm) and op_counts(gm)["batch_norm"] == 4
    assert all(torch.equal(weights[k], v) for k, v in model.state_dict().items())


def test_qdq_nodes_of_the_tiny_net(prepared: torch.fx.GraphModule, quantized: torch.fx.GraphModule) -> None:
    kinds = Counter(short(n.target) for n in qdq_nodes(quantized))
    assert kinds == {"quantize_per_tensor": 11, "dequantize_per_tensor": 12, "dequantize_per_channel": 5}
    assert not observer_nodes(quantized)
    two_readers = [n.args[0].name for n, _o in observer_nodes(prepared) if len(n.users) == 2]
    assert two_readers == ["max_pool2d"]


def test_qparams_in_the_graph_are_those_of_the_observers(
    prepared: torch.fx.GraphModule, quantized: torch.fx.GraphModule
) -> None:
    observers = {n.args[0].name: o for n, o in observer_nodes(prepared)}
    for node in qdq_nodes(quantized):
        if short(node.target) == "quantize_per_tensor":
            scale, zero_point = observers[node.args[0].name].calculate_qparams()
            assert node.args[1:3] == (scale.item(), zero_point.item())


def test_weights_are_stored_as_int8(prepared: torch.fx.GraphModule, quantized: torch.fx.GraphModule) -> None:
    dq = next(n for n in qdq_nodes(quantized) if short(n.target) == "dequantize_per_channel")
    assert dq.args[0].op == "get_attr" and dq.args[0].name.startswith("quantize_per_channel")
    stored = getattr(quantized, dq.args[0].target)
    scales = getattr(quantized, dq.args[1].target).reshape(-1, 1, 1, 1)
    assert stored.dtype == torch.int8 and tuple(stored.shape) == (16, 3, 3, 3)
    folded = prepared.get_parameter("conv1.weight")
    assert ((stored * scales - folded).abs() / scales).max() < 0.501


def test_a_measurement_contaminates(prepared: torch.fx.GraphModule, model: torch.nn.Module) -> None:
    unseen, _labels = stripes(64, seed=7)
    quality, scales = [], []
    for measured in ([], [unseen], [10 * unseen[:1]]):
        trial = copy.deepcopy(prepared)
        with torch.no_grad():
            for x in measured:
                trial(x)
        scales.append({n.args[0].name: o.calculate_qparams()[0].flatten()[0].item() for n, o in observer_nodes(trial)})
        quality.append(compare(model, convert_pt2e(trial), (unseen,))["sqnr_db"])
    assert scales[0] != scales[1] and scales[0]["x"] < scales[2]["x"]
    assert quality[0] > quality[2] + 3


def test_convert_is_silent_without_calibration(
    gm: torch.fx.GraphModule, model: torch.nn.Module, quantized: torch.fx.GraphModule
) -> None:
    useless = convert_pt2e(prepare_pt2e(copy.deepcopy(gm), get_xnnpack_quantizer()[0]))
    q = [n for n in qdq_nodes(useless) if short(n.target) == "quantize_per_tensor"]
    assert {n.args[1:3] for n in q} == {(1.0, 0)}
    pictures, _labels = stripes(64, seed=7)
    assert compare(model, useless, (pictures,))["sqnr_db"] < 10
    assert compare(model, quantized, (pictures,))["sqnr_db"] > 20


def test_convolutions_still_compute_in_fp32(quantized: torch.fx.GraphModule) -> None:
    seen: dict[str, tuple[torch.dtype, torch.dtype]] = {}

    class Types(torch.fx.Interpreter):
        def run_node(self, n: torch.fx.Node):
            result = super().run_node(n)
            if n.op == "call_function":
                seen[n.name] = (self.env[n.args[0]].dtype, result.dtype)
            return result

    with torch.no_grad():
        Types(copy.deepcopy(quantized)).run(*example_inputs())
    assert seen["conv2d"] == (torch.float32, torch.float32)
    assert seen["quantize_per_tensor_default"] == (torch.float32, torch.int8)


def test_places_and_objects_of_the_net_to_predict() -> None:
    net = export_module(get_model("pool_chain").eval(), example_inputs())
    found = observer_nodes(prepare_pt2e(net, get_xnnpack_quantizer()[0]))
    assert (len(found), len({id(o) for _n, o in found})) == (12, 9)
