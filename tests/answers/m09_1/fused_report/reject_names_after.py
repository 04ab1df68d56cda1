# finds: names
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
    names = [n.name.split("_")[0] for n in after(path)]
    return {"integer": sum(n in INTEGER_OPS for n in names), "fp32": sum(n in FLOAT_OPS for n in names)}
