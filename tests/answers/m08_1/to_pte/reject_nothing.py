# finds: returns-nothing
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    exported = torch.export.export(qdq, example)
    to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch()
