import tempfile
from pathlib import Path

import onnxruntime

from common.backends.ort import FLOAT_OPS, INTEGER_OPS, op_types, session_options


def fused_report(path):
    with tempfile.TemporaryDirectory() as own:
        options = session_options("extended")
        options.optimized_model_filepath = str(Path(own, "optimized.onnx"))
        onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        counts = op_types(options.optimized_model_filepath)
    return {"integer": sum(counts[op] for op in INTEGER_OPS), "fp32": sum(counts[op] for op in FLOAT_OPS)}
