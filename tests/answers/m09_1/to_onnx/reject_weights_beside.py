# finds: weights-beside
import onnx
import torch


def to_onnx(qdq, example, path):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    program = torch.onnx.export(qdq, example, dynamo=True, dynamic_shapes=shapes, verbose=False)
    onnx.save(program.model_proto, path, save_as_external_data=True, size_threshold=0)
