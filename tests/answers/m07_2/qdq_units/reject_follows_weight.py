# finds: follows-weight
# The walk goes on through the dequantize of the weight, and that is listed as an op.
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
            elif node.op == "call_function" and short(node.target) != "quantize_per_tensor":
                ops.add(node)
                todo += node.all_input_nodes
        if ops and inputs:
            units.append((tuple(short(n.target) for n in order if n in ops), inputs == {q.args[1:3]}))
    return units
