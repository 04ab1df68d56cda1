# One pass over the readers of the converted graph.
from common.graph_utils import observer_nodes, qdq_nodes


def match_qparams(prepared, converted):
    observers = [n for n, _ in observer_nodes(prepared)]
    dequantize = [n for n in qdq_nodes(converted) if "dequantize" in str(n.target)]
    old = {n.name: n for n in prepared.graph.nodes}
    q, dq = {}, {}
    for reader in converted.graph.nodes:
        if reader.name not in old:
            continue
        for before, after in zip(old[reader.name].all_input_nodes, reader.all_input_nodes):
            if before in observers and after in dequantize:
                value = before.args[0].name
                dq.setdefault(value, []).append(after.name)
                source = after.args[0]
                q[value] = source.name if source.op == "call_function" else None
    return {value: (q[value], tuple(dq[value])) for value in dq}
