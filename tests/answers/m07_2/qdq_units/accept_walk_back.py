import torch

from common.graph_utils import QDQ_PREFIXES, short


def qdq_units(gm):
    order = list(gm.graph.nodes)
    units = []
    for q in order:
        if q.target != torch.ops.quantized_decomposed.quantize_per_tensor.default:
            continue
        ops, inputs, todo = set(), set(), [q.args[0]]
        while todo:
            node = todo.pop()
            if node.target == torch.ops.quantized_decomposed.dequantize_per_tensor.default:
                if node.args[0].op != "get_attr":
                    inputs.add(tuple(node.args[1:3]))
            elif node.op == "call_function" and not str(node.target).startswith(QDQ_PREFIXES):
                ops.add(node)
                todo += node.all_input_nodes
        if ops and inputs:
            units.append((tuple(short(n.target) for n in order if n in ops), inputs == {tuple(q.args[1:3])}))
    return units
