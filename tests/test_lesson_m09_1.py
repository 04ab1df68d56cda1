"""The facts that lesson m09_1 shows, and the programs behind it. What depends on the machine is checked for consistency."""

import os
from pathlib import Path

import pytest
import torch

from common.backends.comparison import BackendRow, compare_backends, distance, output_step, with_biases_on_grid
from common.backends.ort import (
    FLOAT_OPS,
    INTEGER_OPS,
    LEVELS,
    PARTS,
    onnx_is_here,
    op_types,
    optimized,
    picture_of_file,
    run_file,
    weight_bytes,
    write_onnx,
)
from common.checks.m07_2._graphs import quantized
from common.checks.m09_1._models import model_bytes, model_input
from common.env import quiet
from common.exercise import Case
from common.exercise.capture import FOLDER_VARIABLE
from common.graph_utils import op_counts
from common.models import example_inputs
from common.platform_checks import Found, Part, missing_parts

quiet()
needs_onnx = pytest.mark.skipif(bool(missing_parts(PARTS)), reason="onnx, onnxscript and onnxruntime are needed")


@pytest.fixture(scope="module")
def qdq() -> torch.fx.GraphModule:
    return quantized(Case(model="conv_chain"))


@pytest.fixture(scope="module")
def path(qdq: torch.fx.GraphModule, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_onnx(qdq, example_inputs(), tmp_path_factory.mktemp("onnx") / "net.onnx")


@pytest.fixture(scope="module")
def x() -> torch.Tensor:
    return example_inputs(batch=64, seed=1)[0]


@needs_onnx
def test_the_file_is_the_graph_with_other_names(qdq: torch.fx.GraphModule, path: Path) -> None:
    """Section 1: one file, as many nodes, a free batch."""
    in_graph, in_file = op_counts(qdq), op_types(path)
    assert [p.name for p in path.parent.iterdir()] == ["net.onnx"]
    assert in_graph["quantize_per_tensor"] == in_file["QuantizeLinear"]
    assert in_graph["dequantize_per_tensor"] + in_graph["dequantize_per_channel"] == in_file["DequantizeLinear"]
    assert in_graph["conv2d"] == in_file["Conv"] == 3
    assert 0 < weight_bytes(path) < path.stat().st_size
    assert [n.op for n in picture_of_file(path).nodes].count("Conv") == 3


@needs_onnx
def test_what_the_optimizer_makes_of_it(path: Path, tmp_path: Path) -> None:
    """Section 2: before it nothing is integer; with int8 allowed, everything is."""
    before = op_types(path)
    after = op_types(optimized(path, tmp_path / "after.onnx", qdqisint8allowed="1"))
    assert not any(before[op] for op in INTEGER_OPS)
    assert sum(after[op] for op in INTEGER_OPS) == 3 and not any(after[op] for op in FLOAT_OPS)


@needs_onnx
def test_two_readers_decide_with_int8_allowed_or_not(tmp_path: Path) -> None:
    """Section 2: the setting is what keeps the convs beside a tensor with two readers in fp32."""
    file = write_onnx(quantized(Case(model="residual")), example_inputs(), tmp_path / "net.onnx")
    counts = [op_types(optimized(file, tmp_path / "after.onnx", qdqisint8allowed=allowed)) for allowed in "01"]
    assert [c["QLinearConv"] for c in counts] == [0, 2]
    assert [c["Conv"] for c in counts] == [2, 0]


@needs_onnx
@pytest.mark.parametrize("model", ["conv_relu", "conv_chain", "residual"])
def test_the_difference_is_the_rounding_of_the_biases(model: str, x: torch.Tensor, tmp_path: Path) -> None:
    """Section 3."""
    gm = quantized(Case(model=model))
    file, step = write_onnx(gm, example_inputs(), tmp_path / "net.onnx"), output_step(gm)
    reference, rounded = gm(x), with_biases_on_grid(gm)(x)
    plain = distance(run_file(file, x, "none"), reference, step)
    basic = distance(run_file(file, x, "basic"), reference, step)
    after = distance(run_file(file, x, "basic"), rounded, step)
    assert plain.share < basic.share / 10
    assert 1 <= basic.steps <= 5 and basic.share < 0.03
    assert after.share < basic.share / 10


@needs_onnx
def test_hand_made_models_run_at_all_levels(tmp_path: Path) -> None:
    for form in ("one", "chain", "two readers", "middle", "fp32 weight", "linear", "fp32"):
        case = Case(form=form, seed=3)
        (tmp_path / "net.onnx").write_bytes(model_bytes(case))
        outputs = [run_file(tmp_path / "net.onnx", model_input(case, 4), level) for level in LEVELS]
        assert all(o.shape == outputs[0].shape and o.isfinite().all() for o in outputs)


def test_distances() -> None:
    a = torch.tensor([0.0, 0.1, 0.2, 0.3])
    assert distance(a, a + torch.tensor([0.0, 0.0999, 0.0, -0.2]), 0.1) == distance(a + 0.0, a - 0.1, 0.1).__class__(
        2, 0.5
    )


def test_output_that_is_not_quantized_has_no_step() -> None:
    with pytest.raises(ValueError, match="no step"):
        output_step(quantized(Case(model="conv_relu", quantizer="none")))


def test_biases_on_the_grid_leave_the_given_graph_alone(qdq: torch.fx.GraphModule) -> None:
    before = {k: v.clone() for k, v in qdq.state_dict().items()}
    with_biases_on_grid(qdq)
    assert all(torch.equal(v, before[k]) for k, v in qdq.state_dict().items())


def test_a_backend_that_is_missing_is_told(
    qdq: torch.fx.GraphModule, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part("it", "nothing", "make it", lambda: Found(False))
    monkeypatch.setattr("common.backends.comparison.missing_parts", lambda _ids: [part])
    first, *rest = compare_backends(qdq, x)
    assert first.ran and first.size is None and first.milliseconds is not None
    assert [r.name for r in rest] == ["Inductor", "XNNPACK", "ONNX Runtime"]
    assert all(not r.ran and "make it" in r.remark and r.output is None for r in rest)


def test_a_backend_that_fails_is_told(
    qdq: torch.fx.GraphModule, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_gm: torch.fx.GraphModule, _x: torch.Tensor) -> None:
        raise NotImplementedError("no such op")

    monkeypatch.setattr("common.backends.comparison.missing_parts", lambda _ids: [])
    for name in ("_inductor", "_xnnpack", "_onnx_runtime"):
        monkeypatch.setattr(f"common.backends.comparison.{name}", fails)
    rows = compare_backends(qdq, x)[1:]
    assert all(not r.ran and "NotImplementedError: no such op" in r.remark for r in rows)


def test_nothing_is_compiled_while_grading(
    qdq: torch.fx.GraphModule, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setitem(os.environ, FOLDER_VARIABLE, str(tmp_path))
    rows: list[BackendRow] = compare_backends(qdq, x)[1:]
    assert not any(r.ran for r in rows)


@needs_onnx
def test_onnx_runtime_in_the_comparison(
    qdq: torch.fx.GraphModule, x: torch.Tensor, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = Part("it", "nothing", "make it", lambda: Found(False))
    monkeypatch.setattr("common.backends.comparison.missing_parts", lambda ids: [] if ids == PARTS else [part])
    rows = {r.name: r for r in compare_backends(qdq, x)}
    row, reference = rows["ONNX Runtime"], rows["Q/DQ graph"].output
    assert row.ran and row.size and row.output is not None and reference is not None
    assert distance(row.output, reference, output_step(qdq)).share < 0.03


def test_what_is_missing_is_said(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    part = Part("onnx", "nothing", "make backends", lambda: Found(False))
    monkeypatch.setattr("common.platform_checks.missing_parts", lambda _ids: [part])
    assert not onnx_is_here()
    assert "make backends" in capsys.readouterr().out
