# finds: not-written
import torch


def to_onnx(qdq, example, path):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    return torch.onnx.export(qdq, example, dynamo=True, dynamic_shapes=shapes, verbose=False)
