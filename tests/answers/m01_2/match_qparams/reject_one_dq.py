# finds: one-dq
from common.graph_utils import observer_nodes, qdq_nodes, short


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    result = {}
    for node, _observer in observer_nodes(prepared):
        behind = set()
        for reader in node.users:
            inputs = zip(reader.all_input_nodes, new[reader.name].all_input_nodes, strict=True)
            behind |= {dq for watched, dq in inputs if watched is node}
        source = next(iter(behind)).args[0]
        q = None if source.op == "get_attr" else source.name
        result[node.args[0].name] = (q, {next(iter(behind)).name})
    return result
