# One pass from the bottom to the top: a graph is in order.
def activation_path(gm, node):
    live = {n for n in gm.graph.nodes if n.op == "placeholder"}
    for n in gm.graph.nodes:
        if live & set(n.all_input_nodes):
            live.add(n)
    wanted, found = {node}, []
    for n in reversed(list(gm.graph.nodes)):
        if n in wanted and n in live:
            wanted |= set(n.all_input_nodes)
            if n.op == "call_function":
                found.insert(0, n.name)
    return found
