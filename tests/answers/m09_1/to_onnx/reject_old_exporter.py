# finds: old-exporter
# not: raised
import torch


def to_onnx(qdq, example, path):
    torch.onnx.export(qdq, example, path, dynamo=False, dynamic_axes={"x": {0: "batch"}}, input_names=["x"])
