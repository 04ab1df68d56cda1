# Measures on the graph itself, and puts everything back that the run has changed.
from common.graph_utils import node_outputs, observer_nodes, sqnr


def layer_sqnr(gm_a, gm_b, x):
    before = [(o, o.min_val.clone(), o.max_val.clone()) for _n, o in observer_nodes(gm_b)]
    b = node_outputs(gm_b, x)
    for observer, low, high in before:
        observer.min_val.resize_(low.shape).copy_(low)
        observer.max_val.resize_(high.shape).copy_(high)
    result = {}
    for name, value in node_outputs(gm_a, x).items():
        if name in b:
            result[name] = sqnr(value, b[name])
    return result
