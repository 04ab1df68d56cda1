import numpy as np
import onnx
import onnxruntime as ort
from onnx import numpy_helper


def compare_levels(path, x):
    graph = onnx.load(path).graph
    maker = {o: n for n in graph.node for o in n.output}[graph.output[0].name]
    (scale,) = (numpy_helper.to_array(t) for t in graph.initializer if t.name == maker.input[1])
    outputs = []
    for name in ("DISABLE_ALL", "ENABLE_BASIC", "ENABLE_EXTENDED", "ENABLE_ALL"):
        options = ort.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 4
        options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, f"ORT_{name}")
        session = ort.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        outputs.append(session.run(None, {"x": x.numpy()})[0])
    apart = [int(np.abs(np.rint((y - outputs[0]) / scale)).max()) for y in outputs[1:]]
    return dict(zip(("basic", "extended", "all"), apart, strict=True))
