# finds: stops-at-relu
# Only the op right in front of the quantize.
from common.graph_utils import short


def qdq_units(gm):
    units = []
    for q in gm.graph.nodes:
        if short(q.target) == "quantize_per_tensor" and q.args[0].op == "call_function":
            op = q.args[0]
            inputs = [n for n in op.all_input_nodes if short(n.target) == "dequantize_per_tensor"]
            units.append(((short(op.target),), {n.args[1:3] for n in inputs} == {q.args[1:3]}))
    return units
