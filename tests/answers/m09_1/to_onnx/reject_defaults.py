# finds: weights-beside
import torch


def to_onnx(qdq, example, path):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    torch.onnx.export(qdq, example, path, dynamo=True, dynamic_shapes=shapes, verbose=False)
