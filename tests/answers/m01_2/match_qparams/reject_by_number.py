# finds: by-order
import re

from common.graph_utils import observer_nodes, qdq_nodes, short


def number(node):
    found = re.search(r"_(\d+)$", node.name)
    return int(found.group(1)) if found else 0


def match_qparams(prepared, converted):
    new = {n.name: n for n in converted.graph.nodes}
    q = [n for n in qdq_nodes(converted) if short(n.target) == "quantize_per_tensor" and n.args[0].op != "get_attr"]
    nodes = [n for n, _ in observer_nodes(prepared)]
    activations = [n for n in nodes if n.args[0].op != "get_attr"]
    result = {}
    for node, first in zip(sorted(activations, key=number), sorted(q, key=number)):
        result[node.args[0].name] = (first.name, {dq.name for dq in first.users})
    for node in nodes:
        if node.args[0].op == "get_attr":
            (reader,) = node.users
            dq = new[reader.name].args[1]
            source = dq.args[0]
            result[node.args[0].name] = (None if source.op == "get_attr" else source.name, {dq.name})
    return result
