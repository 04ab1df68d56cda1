# finds: packet-or-overload
# not: next-node, one-pair
def find_pairs(gm, first, second):
    pairs = []
    for node in gm.graph.nodes:
        if node.target == first and len(node.users) == 1:
            reader = next(iter(node.users))
            if reader.target == second:
                pairs.append((node.name, reader.name))
    return pairs
