# finds: edge-first
# not: no-partitioner
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    edge = to_edge(torch.export.export(qdq, example))
    return edge.to_backend(XnnpackPartitioner()).to_executorch().buffer
