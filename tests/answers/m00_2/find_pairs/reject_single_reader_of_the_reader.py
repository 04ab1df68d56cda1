# finds: second-reader


def find_pairs(gm, first, second):
    out = []
    for n in gm.graph.nodes:
        if getattr(n.target, "overloadpacket", None) == second and len(n.users) == 1:
            for p in n.all_input_nodes:
                if getattr(p.target, "overloadpacket", None) == first:
                    out.append((p.name, n.name))
    return out
