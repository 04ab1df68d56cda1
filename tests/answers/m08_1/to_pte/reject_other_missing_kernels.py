# finds: raised
# not: no-partitioner
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    """Another RuntimeError from the same place, which has nothing to do with the partitioner."""
    edge = to_edge_transform_and_lower(torch.export.export(qdq, example), partitioner=[XnnpackPartitioner()])
    edge.to_executorch()
    raise RuntimeError("Missing out variants: {'my::op'}")
