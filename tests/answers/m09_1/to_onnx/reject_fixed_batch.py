# finds: fixed-batch
# not: weights-beside, other-values
import torch


def to_onnx(qdq, example, path):
    torch.onnx.export(qdq, example, path, dynamo=True, external_data=False, verbose=False)
