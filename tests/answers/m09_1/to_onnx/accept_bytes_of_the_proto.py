from pathlib import Path

import torch


def to_onnx(qdq, example, path):
    free = {0: torch.export.Dim.DYNAMIC}
    program = torch.onnx.export(
        qdq, args=example, dynamo=True, optimize=False, dynamic_shapes=[free] * len(example), verbose=False
    )
    Path(path).write_bytes(program.model_proto.SerializeToString())
