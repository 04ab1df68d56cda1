import torch


def to_onnx(qdq, example, path):
    batch = {0: torch.export.Dim.AUTO}
    exported = torch.export.export(qdq, example, dynamic_shapes=(batch,))
    torch.onnx.export(exported, f=path, dynamo=True, external_data=False, verbose=False)
