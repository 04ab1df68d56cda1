"""A file of a stranger is read and run in a process of its own, and whatever it is, that process tells."""

import pytest
import torch

from common.backends.onnx_file import MAX_BYTES, run_onnx
from common.backends.ort import PARTS
from common.checks.m09_1._models import model_bytes, model_input
from common.env import quiet
from common.exercise import Case
from common.platform_checks import missing_parts

quiet()
pytestmark = pytest.mark.skipif(bool(missing_parts(PARTS)), reason="onnx, onnxscript and onnxruntime are needed")
CASE = Case(form="chain")


def test_a_file_that_runs() -> None:
    inputs = [model_input(CASE, 2), model_input(CASE, 5)]
    ran = run_onnx(model_bytes(CASE), inputs, ["none", "all"])
    assert ran.done and not ran.error
    assert ran.ops["QuantizeLinear"] == 4 and ran.ops["Conv"] == 3 and not ran.external
    assert ran.dims == ((None, 3, 12, 12),)
    assert sorted(tuple(t.shape) for t in ran.int8) == [(4, 8, 3, 3), (6, 3, 3, 3), (8, 6, 1, 1)]
    assert [len(o) for o in ran.outputs["all"]] == [2, 5]


@pytest.mark.parametrize(
    ("data", "stage"), [(b"", "read"), (b"nothing of the kind", "read"), (b"x" * (MAX_BYTES + 1), "read")]
)
def test_no_such_file(data: bytes, stage: str) -> None:
    ran = run_onnx(data, [model_input(CASE, 2)])
    assert ran.stage == stage and ran.error and not ran.outputs


def test_a_cut_off_file_never_runs() -> None:
    ran = run_onnx(model_bytes(CASE)[:-400], [model_input(CASE, 2)])
    assert not ran.done and ran.error


def test_an_input_that_does_not_fit() -> None:
    ran = run_onnx(model_bytes(CASE), [torch.zeros(2, 1, 12, 12)])
    assert ran.stage == "run" and ran.error and ran.int8


def test_tensors_of_other_files_are_not_read() -> None:
    import onnx

    model = onnx.load_model_from_string(model_bytes(CASE))
    tensor = next(t for t in model.graph.initializer if len(t.dims) == 4)
    tensor.ClearField("raw_data")
    tensor.data_location = onnx.TensorProto.EXTERNAL
    tensor.external_data.add(key="location", value="/etc/hostname")
    ran = run_onnx(model.SerializeToString(), [model_input(CASE, 2)])
    assert ran.stage == "read" and ran.external == (tensor.name,) and not ran.outputs


def test_an_output_that_would_fill_the_memory() -> None:
    from onnx import TensorProto, helper, numpy_helper

    shape = numpy_helper.from_array(torch.tensor([2**16, 2**16]).numpy(), "shape")
    node = helper.make_node("ConstantOfShape", ["shape"], ["y"])
    given = helper.make_tensor_value_info("x", TensorProto.FLOAT, None)
    graph = helper.make_graph(
        [node], "m", [given], [helper.make_tensor_value_info("y", TensorProto.FLOAT, None)], [shape]
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)
    ran = run_onnx(model.SerializeToString(), [model_input(CASE, 2)])
    assert not ran.done and ran.error
