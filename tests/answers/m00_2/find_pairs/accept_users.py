def find_pairs(gm, first, second):
    pairs = []
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == first and len(node.users) == 1:
            (reader,) = node.users
            if getattr(reader.target, "overloadpacket", None) == second:
                pairs.append((node.name, reader.name))
    return pairs
