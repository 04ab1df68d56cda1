def activation_path(gm, node):
    depends = {}

    def from_input(n):
        if n not in depends:
            below = [from_input(i) for i in n.all_input_nodes]
            depends[n] = n.op == "placeholder" or any(below)
        return depends[n]

    from_input(node)
    return tuple(n.name for n in gm.graph.nodes if depends.get(n) and n.op == "call_function")
