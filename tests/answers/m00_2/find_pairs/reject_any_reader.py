# finds: second-reader
# not: text-search
def find_pairs(gm, first, second):
    pairs = []
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == first:
            for reader in node.users:
                if getattr(reader.target, "overloadpacket", None) == second:
                    pairs.append((node.name, reader.name))
    return pairs
