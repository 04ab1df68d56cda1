# finds: fp32-exported
# needs: executorch
import torch
from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
from executorch.exir import to_edge, to_edge_transform_and_lower


def to_pte(qdq, example):
    """The backend quantizes by itself, so away with the q/dq nodes."""
    for node in list(qdq.graph.nodes):
        if "dequantize_per_tensor" in str(node.target) and "quantize_per_tensor" in str(node.args[0].target):
            quantize = node.args[0]
            node.replace_all_uses_with(quantize.args[0])
            qdq.graph.erase_node(node)
    qdq.graph.eliminate_dead_code()
    qdq.recompile()
    exported = torch.export.export(qdq, example)
    return to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
