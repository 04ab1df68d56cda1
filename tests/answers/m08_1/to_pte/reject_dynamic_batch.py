# finds: dynamic-batch
# not: another-example
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    batch = torch.export.Dim("batch", min=2, max=64)
    exported = torch.export.export(qdq, example, dynamic_shapes=({0: batch},))
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
