# finds: other-values
# not: float-weights, no-quantize
import copy

import torch


def to_onnx(qdq, example, path):
    gm = copy.deepcopy(qdq)
    for node in list(gm.graph.nodes):
        if "quantize_per_tensor" in str(node.target):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.recompile()
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    torch.onnx.export(gm, example, path, dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
