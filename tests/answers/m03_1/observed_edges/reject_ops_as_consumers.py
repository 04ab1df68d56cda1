# Takes only ops for consumers.
# finds: output-left-out
# not: inside-lists
from common.graph_utils import observer_nodes


# only call_function consumers: output left out
def observed_edges(prepared):
    obs = {n for n, _ in observer_nodes(prepared)}
    found = set()
    for c in prepared.graph.nodes:
        if c.op != "call_function":
            continue
        for i in c.all_input_nodes:
            p = i
            while p in obs:
                p = p.args[0]
            if p is not i:
                found.add((p.name, c.name))
    return found
