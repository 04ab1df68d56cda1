# finds: another-example
# not: dynamic-batch
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

from common.models import example_inputs


def to_pte(qdq, example):
    exported = torch.export.export(qdq, example_inputs(8))
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
