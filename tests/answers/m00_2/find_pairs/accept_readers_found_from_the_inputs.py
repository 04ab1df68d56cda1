def find_pairs(gm, first, second):
    readers = {n: [m for m in gm.graph.nodes if n in m.all_input_nodes] for n in gm.graph.nodes}
    out = set()
    for n, rs in readers.items():
        if (
            len(rs) == 1
            and getattr(n.target, "overloadpacket", None) == first
            and getattr(rs[0].target, "overloadpacket", None) == second
        ):
            out.add((n.name, rs[0].name))
    return list(out)
