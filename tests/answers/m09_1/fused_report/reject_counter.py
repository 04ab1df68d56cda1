# finds: form
import tempfile

import onnx
import onnxruntime

from common.backends.ort import FLOAT_OPS, INTEGER_OPS, op_types, session_options


def after(path, level="extended"):
    with tempfile.TemporaryDirectory() as folder:
        options = session_options(level)
        options.optimized_model_filepath = folder + "/after.onnx"
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return onnx.load(folder + "/after.onnx").graph.node


def fused_report(path):
    return op_types(path)
