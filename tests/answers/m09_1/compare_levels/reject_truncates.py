# finds: truncates
import onnx
from onnx import numpy_helper

from common.backends.ort import run_file


def compare_levels(path, x):
    graph = onnx.load(path).graph
    (scale,) = (numpy_helper.to_array(t) for t in graph.initializer if t.name == graph.node[-1].input[1])
    plain, step = run_file(path, x, "none"), float(scale)
    return {
        level: int((run_file(path, x, level) - plain).abs().max().item() / step)
        for level in ("basic", "extended", "all")
    }
