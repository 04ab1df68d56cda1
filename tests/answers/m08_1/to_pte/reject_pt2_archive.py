# finds: exported-not-lowered
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower

import io


def to_pte(qdq, example):
    file = io.BytesIO()
    torch.export.save(torch.export.export(qdq, example), file)
    return file.getvalue()
