def parameters_used_by(gm, node):
    return {n.target for n in gm.graph.nodes if n.op == "get_attr" and node in n.users}
