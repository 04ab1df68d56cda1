# finds: follows-weight
# Right for weights per channel; a weight with a single scale is taken for an input of the unit.
from common.graph_utils import short


def qdq_units(gm):
    order, units = list(gm.graph.nodes), []
    for q in order:
        if short(q.target) != "quantize_per_tensor":
            continue
        ops, inputs, todo = set(), set(), [q.args[0]]
        while todo:
            node = todo.pop()
            if short(node.target) == "dequantize_per_tensor":
                inputs.add(node.args[1:3])
            elif node.op == "call_function" and "quantize" not in short(node.target):
                ops.add(node)
                todo += node.all_input_nodes
        if ops and inputs:
            units.append((tuple(short(n.target) for n in order if n in ops), inputs == {q.args[1:3]}))
    return units
