# finds: raised
# not: old-exporter
import torch


def to_onnx(qdq, example, path):
    shapes = ({0: torch.export.Dim.AUTO}, {0: torch.export.Dim.AUTO})
    torch.onnx.export(qdq, example, path, dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
