# finds: no-partitioner
# not: fp32-exported
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    return to_edge_transform_and_lower(torch.export.export(qdq, example)).to_executorch().buffer
