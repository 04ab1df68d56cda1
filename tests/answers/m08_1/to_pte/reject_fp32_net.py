# finds: fp32-exported
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

from common.models import get_model

model = get_model("pool_chain").eval()


def to_pte(qdq, example):
    exported = torch.export.export(model, example)
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
