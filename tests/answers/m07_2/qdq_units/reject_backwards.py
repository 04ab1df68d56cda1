# finds: backwards
from common.graph_utils import short


def qdq_units(gm):
    units = []
    for q in gm.graph.nodes:
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
        if ops and inputs:
            backwards = tuple(short(n.target) for n in ops)
            units.append((backwards, {n.args[1:3] for n in inputs} == {q.args[1:3]}))
    return units
