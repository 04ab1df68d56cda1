"""The helpers of `common`: nets, data, graphs, environment."""

import math
import subprocess
import sys

import pytest
import torch

from common import data, graph_utils
from common.env import cpu_profile, env_summary, quiet, versions
from common.models import MODELS, example_inputs, get_model
from common.pt2e import convert_pt2e, export_module, get_x86_quantizer, get_xnnpack_quantizer, prepare_pt2e

quiet()


def _calibrated(name: str) -> torch.fx.GraphModule:
    model = data.trained_tiny_net() if name == "tiny" else get_model(name).eval()
    prepared = prepare_pt2e(export_module(model, example_inputs()), get_xnnpack_quantizer()[0])
    for batch in data.calibration_batches(64):
        prepared(*batch)
    return prepared


@pytest.mark.parametrize("name", MODELS)
def test_nets_export_with_a_free_batch(name: str) -> None:
    model = get_model(name).eval()
    gm = export_module(model, example_inputs())
    for batch in (2, 7):
        (x,) = example_inputs(batch, seed=batch)
        torch.testing.assert_close(gm(x), model(x))


def test_get_model_keeps_the_callers_random_state() -> None:
    torch.manual_seed(3)
    wanted = torch.rand(2)
    torch.manual_seed(3)
    get_model("tiny")
    assert torch.equal(torch.rand(2), wanted)


def test_unknown_net_names_the_known_ones() -> None:
    with pytest.raises(ValueError, match="conv_relu"):
        get_model("nothing")


def test_export_refuses_batch_one() -> None:
    with pytest.raises(ValueError, match="batch 2"):
        export_module(get_model("conv_relu"), example_inputs(1))


def test_structure_of_the_tiny_net() -> None:
    """The numbers that the lessons speak of (torchao 0.18)."""
    prepared = _calibrated("tiny")
    observers = graph_utils.observer_nodes(prepared)
    assert len(observers) == 16
    assert len({id(o) for _node, o in observers}) == 12
    quantized = convert_pt2e(prepared)
    assert len(graph_utils.qdq_nodes(quantized)) == 28
    counts = graph_utils.op_counts(quantized)
    assert counts["quantize_per_tensor"] == 11
    assert counts["dequantize_per_tensor"] == 12
    assert counts["dequantize_per_channel"] == 5


def test_accuracy_leaves_something_to_lose_and_quantization_is_close() -> None:
    loader = data.make_loader(512, seed=7, shuffle=False)
    model = data.trained_tiny_net()
    accuracy = data.evaluate(model, loader)
    assert 0.85 < accuracy < 0.97
    assert abs(data.evaluate(convert_pt2e(_calibrated("tiny")), loader) - accuracy) < 0.03


def test_training_gives_the_same_bits_twice() -> None:
    """Two runs on one machine agree in every bit; the shipped weights may come from another kind of machine."""
    first, second = data.train_tiny_net().state_dict(), data.train_tiny_net().state_dict()
    assert all(torch.equal(first[k], second[k]) for k in first)


def test_calibration_batches_are_tuples() -> None:
    batches = list(data.calibration_batches(40, batch_size=16))
    assert [tuple(b[0].shape) for b in batches] == [(16, 3, 16, 16), (16, 3, 16, 16), (8, 3, 16, 16)]
    assert all(isinstance(b, tuple) for b in batches)


def test_sqnr() -> None:
    x = torch.tensor([3.0, 4.0])
    assert graph_utils.sqnr(x, x) == math.inf
    assert graph_utils.sqnr(x, x * 0.9) == pytest.approx(20)
    assert graph_utils.sqnr(torch.zeros(2), x) == -math.inf


def test_compare() -> None:
    found = graph_utils.compare(lambda x: x, lambda x: x + 0.5, (torch.ones(4),))
    assert found == {"sqnr_db": pytest.approx(6.02, abs=0.01), "max_abs_err": 0.5}


def test_diff_ops() -> None:
    gm = export_module(get_model("conv_relu").eval(), example_inputs())
    rows, headers = graph_utils.diff_ops(gm, convert_pt2e(_calibrated("conv_relu")), "exported", "converted")
    assert headers == ["op", "exported", "converted", "difference"]
    assert ["quantize_per_tensor", 0, 2, 2] in rows
    assert rows[-1][3] == 0


def test_short_names() -> None:
    assert graph_utils.short(torch.ops.aten.conv2d.default) == "conv2d"
    assert graph_utils.short("x") == "x"
    assert graph_utils.short(len) == "len"


def test_splice_moves_all_consumers() -> None:
    gm = export_module(get_model("twice_used").eval(), example_inputs())
    node = next(n for n in gm.graph.nodes if n.name == "relu")
    new = graph_utils.splice(gm, node, torch.nn.Identity(), "id")
    gm.graph.lint()
    assert set(node.users) == {new}


def test_x86_quantizer_prepares_the_tiny_net() -> None:
    prepared = prepare_pt2e(export_module(data.trained_tiny_net(), example_inputs()), get_x86_quantizer())
    assert graph_utils.observer_nodes(prepared)


def test_cpu_profile_sees_ops() -> None:
    with cpu_profile() as prof:
        torch.relu(torch.ones(3))
    assert any(e.name == "aten::relu" for e in prof.events() or [])


def test_env_summary_names_what_results_depend_on() -> None:
    assert {"python", "torch", "torchao"} <= set(versions())
    for word in ("torch ", "threads=", "mkldnn=", "nnpack="):
        assert word in env_summary()


def test_importing_common_loads_no_torch() -> None:
    code = "import sys, common, common.exercise, common.lessons, common.viz; common.exercise.all_exercises()"
    subprocess.run([sys.executable, "-c", f"{code}; assert 'torch' not in sys.modules"], check=True)
