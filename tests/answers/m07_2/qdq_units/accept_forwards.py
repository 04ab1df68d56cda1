# From front to back: each node carries what its value was made from.
from common.graph_utils import short


def qdq_units(gm):
    made, units = {}, []
    for node in gm.graph.nodes:
        name = short(node.target) if node.op == "call_function" else ""
        if name == "dequantize_per_tensor" and node.args[0].op == "call_function":
            made[node] = ([], {(node.args[1], node.args[2])})
        elif name == "quantize_per_tensor":
            ops, inputs = made.get(node.args[0], ([], set()))
            if ops and inputs:
                units.append((tuple(short(n.target) for n in ops), inputs == {(node.args[1], node.args[2])}))
        elif name and not name.startswith("dequantize"):
            ops, inputs = [], set()
            for source in node.all_input_nodes:
                before, qparams = made.get(source, ([], set()))
                ops += [n for n in before if n not in ops]
                inputs |= qparams
            made[node] = ([*ops, node], inputs)
    return units
