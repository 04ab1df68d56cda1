"""What the project of lesson m09_2 measures again from files."""

from pathlib import Path

import pytest
import torch

from common.backends.onnx_file import run_onnx
from common.backends.ort import PARTS
from common.checks.m09_1._models import model_bytes, model_input
from common.checks.m09_2.my_project import _between, _course_nets, _file, _shapes
from common.env import quiet
from common.exercise import Case
from common.models import get_model
from common.platform_checks import missing_parts

quiet()


@pytest.mark.skipif(bool(missing_parts(PARTS)), reason="onnx, onnxscript and onnxruntime are needed")
def test_ranges_of_activations() -> None:
    """The first activation's range is ±0.77 or so, and the input is cut off at it; scaled down, it fits, and less is used."""
    case = Case(form="one")
    for factor, cut_off in ((1.0, True), (0.1, False)):
        ran = run_onnx(model_bytes(case), [factor * model_input(case, 4)], ["none"], activations=True)
        (used, cut), *_rest = ran.activations
        assert ran.done and ran.output_scale is not None and len(ran.activations) == 2
        assert (cut > 0.3) == cut_off and (used > 1) == cut_off and used > 0


def test_inputs_between_inputs_are_new_and_near() -> None:
    inputs = torch.randn(20, 3, 4)
    mixed = _between(inputs, seed=1)
    assert mixed.shape == inputs.shape and not torch.equal(mixed, inputs)
    assert torch.equal(mixed, _between(inputs, seed=1))
    assert (mixed - inputs).abs().max() <= 0.2 * (inputs.max() - inputs.min())


def test_the_nets_of_the_course_are_known() -> None:
    weights = [p.shape for p in get_model("pool_chain").parameters() if p.dim() > 1]
    assert _shapes(weights) in _course_nets()
    assert _shapes(weights[:-1]) not in _course_nets()
    assert _shapes([(3, 5)]) == _shapes([(5, 3)])  # a linear's weight may lie in a file either way


def test_only_small_plain_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "good").write_bytes(b"data")
    (tmp_path / "empty").touch()
    (tmp_path / "large").write_bytes(bytes(2 * 2**20))
    assert _file(str(tmp_path / "good")) == _file(tmp_path / "good") == b"data"
    for wrong in (tmp_path, tmp_path / "empty", tmp_path / "large", tmp_path / "none", "a\0b", None, 3, b"data"):
        assert isinstance(_file(wrong), str)
