# Where each value comes from, in one pass in graph order.
from common.graph_utils import observer_nodes


def observed_edges(prepared):
    origin = {}
    for node, _observer in observer_nodes(prepared):
        origin[node] = None
    for node in prepared.graph.nodes:
        if node in origin:
            origin[node] = origin.get(node.args[0]) or node.args[0]
    return {(origin[r].name, n.name) for n in prepared.graph.nodes if n not in origin for r in n.all_input_nodes if r in origin}
