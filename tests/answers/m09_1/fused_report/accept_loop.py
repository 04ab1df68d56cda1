import tempfile

import onnx
import onnxruntime

from common.backends.ort import FLOAT_OPS, INTEGER_OPS, session_options


def after(path, level="extended"):
    with tempfile.TemporaryDirectory() as folder:
        options = session_options(level)
        options.optimized_model_filepath = folder + "/after.onnx"
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        return onnx.load(folder + "/after.onnx").graph.node


def fused_report(path):
    found = {"fp32": 0, "integer": 0}
    for node in after(path):
        if node.op_type in INTEGER_OPS:
            found["integer"] += 1
        if node.op_type in FLOAT_OPS:
            found["fp32"] += 1
    return found
