# finds: names
import onnx

from common.backends.ort import FLOAT_OPS, INTEGER_OPS


def fused_report(path):
    names = [n.name.split("_")[0] for n in onnx.load(path).graph.node]
    return {"integer": sum(n in INTEGER_OPS for n in names), "fp32": sum(n in FLOAT_OPS for n in names)}
