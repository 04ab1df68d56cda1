# finds: one-pair
# not: packet-or-overload
def find_pairs(gm, first, second):
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == first and len(node.users) == 1:
            reader = next(iter(node.users))
            if getattr(reader.target, "overloadpacket", None) == second:
                return [(node.name, reader.name)]
    return []
