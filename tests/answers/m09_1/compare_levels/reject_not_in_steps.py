# finds: not-in-steps
import onnx
from onnx import numpy_helper

from common.backends.ort import run_file


def step_of(path, last=True):
    graph = onnx.load(path).graph
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    nodes = [n for n in graph.node if n.op_type == "DequantizeLinear" and constants[n.input[1]].ndim == 0]
    return float(constants[nodes[-1 if last else 0].input[1]])


def compare_levels(path, x):
    plain = run_file(path, x, "none")
    return {level: float((run_file(path, x, level) - plain).abs().max()) for level in ("basic", "extended", "all")}
