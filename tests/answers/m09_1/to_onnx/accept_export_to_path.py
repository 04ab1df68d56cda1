import torch


def to_onnx(qdq, example, path):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    torch.onnx.export(qdq, example, path, dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
