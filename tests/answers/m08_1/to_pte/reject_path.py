# finds: path-not-bytes
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

import tempfile


def to_pte(qdq, example):
    exported = torch.export.export(qdq, example)
    program = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
    with tempfile.NamedTemporaryFile(suffix=".pte", delete=False) as file:
        file.write(program.buffer)
    return file.name
