import tempfile
from pathlib import Path

import onnx
import onnxruntime as ort


def fused_report(path):
    options = ort.SessionOptions()
    options.graph_optimization_level = ort.GraphOptimizationLevel.ORT_ENABLE_EXTENDED
    options.log_severity_level = 4
    to = Path(tempfile.mkdtemp(), "after.onnx")
    options.optimized_model_filepath = str(to)
    ort.InferenceSession(Path(path).read_bytes(), options, providers=["CPUExecutionProvider"])
    kinds = [n.op_type for n in onnx.load(to).graph.node]
    to.unlink()
    integer = sum(k in ("QLinearConv", "QLinearMatMul", "QGemm") or k.endswith("Integer") for k in kinds)
    return {"integer": integer, "fp32": sum(k in ("Conv", "Gemm", "MatMul", "FusedConv", "FusedGemm") for k in kinds)}
