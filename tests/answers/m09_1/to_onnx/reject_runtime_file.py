# finds: runtime-file
import onnxruntime
import torch


def to_onnx(qdq, example, path):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    torch.onnx.export(qdq, example, path, dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
    options = onnxruntime.SessionOptions()
    options.optimized_model_filepath = path
    options.log_severity_level = 4
    onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
