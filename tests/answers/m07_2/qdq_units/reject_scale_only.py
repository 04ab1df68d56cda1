# finds: scale-only
from common.graph_utils import short


def qdq_units(gm):
    order, units = list(gm.graph.nodes), []
    for q in order:
        if short(q.target) != "quantize_per_tensor":
            continue
        ops, inputs, todo = [], [], [q.args[0]]
        while todo:
            node = todo.pop()
            if short(node.target) == "dequantize_per_tensor" and node.args[0].op == "call_function":
                inputs.append(node)
            elif node.op == "call_function" and "quantize" not in short(node.target) and node not in ops:
                ops.append(node)
                todo += node.all_input_nodes
        names = tuple(short(n.target) for n in order if n in ops)
        if ops and inputs:
            units.append((names, {n.args[1] for n in inputs} == {q.args[1]}))
    return units
