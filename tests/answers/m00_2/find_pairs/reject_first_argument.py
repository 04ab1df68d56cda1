# finds: first-argument, inside-lists
# not: second-reader
def find_pairs(gm, first, second):
    pairs = []
    for reader in gm.graph.nodes:
        if getattr(reader.target, "overloadpacket", None) == second:
            node = reader.args[0]
            if getattr(getattr(node, "target", None), "overloadpacket", None) == first and len(node.users) == 1:
                pairs.append((node.name, reader.name))
    return pairs
