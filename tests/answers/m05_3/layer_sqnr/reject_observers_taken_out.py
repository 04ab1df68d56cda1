# Takes the observers out of the graph that it was lent.
# finds: changed
from common.graph_utils import node_outputs, observer_nodes, sqnr


def layer_sqnr(gm_a, gm_b, x):
    for node, _observer in observer_nodes(gm_b):
        node.replace_all_uses_with(node.args[0])
        gm_b.graph.erase_node(node)
    gm_b.recompile()
    a, b = node_outputs(gm_a, x), node_outputs(gm_b, x)
    return {name: sqnr(a[name], b[name]) for name in a if name in b}
