import torch


def to_onnx(qdq, example, path):
    batch = torch.export.Dim("batch", min=1, max=1024)
    shapes = ({0: batch},)
    program = torch.onnx.export(qdq, example, dynamo=True, dynamic_shapes=shapes, verbose=False, opset_version=21)
    program.save(path, external_data=False)
    return path
