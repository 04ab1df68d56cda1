# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    (x,) = example
    zeros = (torch.zeros_like(x),)  # the values do not matter, the shape does
    lowered = to_edge_transform_and_lower(torch.export.export(qdq, zeros), partitioner=[XnnpackPartitioner()])
    return bytes(lowered.to_executorch().buffer)
