# finds: no-quantize, other-values
import copy

import torch


def to_onnx(qdq, example, path):
    gm = copy.deepcopy(qdq)
    for i, node in enumerate(list(gm.graph.nodes)):
        if "dequantize" in str(node.target) and node.args[0].op == "get_attr":
            arguments = torch.fx.map_arg(node.args, lambda n: getattr(gm, n.target))
            gm.register_buffer(f"plain_{i}", node.target(*arguments))
            with gm.graph.inserting_before(node):
                node.replace_all_uses_with(gm.graph.get_attr(f"plain_{i}"))
            gm.graph.erase_node(node)
        elif "quantize_per_tensor" in str(node.target):
            node.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(node)
    gm.recompile()
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    torch.onnx.export(gm, example, path, dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
