def activation_path(gm, node):
    order = [n.name for n in gm.graph.nodes]
    starts = [n for n in gm.graph.nodes if n.op == "placeholder"]
    names = set()

    def paths(n, way):
        way = [*way, n]
        if n is node:
            names.update(m.name for m in way if m.op == "call_function")
            return
        for u in n.users:
            paths(u, way)

    for s in starts:
        paths(s, [])
    return sorted(names, key=order.index)
