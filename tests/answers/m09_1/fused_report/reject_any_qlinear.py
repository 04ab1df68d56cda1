# finds: not-multiplying
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
    kinds = [n.op_type for n in after(path)]
    integer = sum(k.startswith("QLinear") or k in INTEGER_OPS for k in kinds)
    return {"integer": integer, "fp32": sum(k in FLOAT_OPS for k in kinds)}
