def find_pairs(gm, first, second):
    firsts = [n for o in first.overloads() for n in gm.graph.find_nodes(op="call_function", target=getattr(first, o))]
    seconds = [n for o in second.overloads() for n in gm.graph.find_nodes(op="call_function", target=getattr(second, o))]
    return [[n.name, r.name] for n in firsts for r in seconds if r in n.users and len(n.users) == 1]
