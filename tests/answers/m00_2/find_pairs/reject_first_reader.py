# finds: second-reader
# not: text-search, next-node
def find_pairs(gm, first, second):
    pairs = []
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == first:
            reader = next(iter(node.users))
            if getattr(reader.target, "overloadpacket", None) == second:
                pairs.append((node.name, reader.name))
    return pairs
