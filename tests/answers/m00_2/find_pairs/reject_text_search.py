# finds: text-search
# not: second-reader, next-node
def find_pairs(gm, first, second):
    a, b = str(first), str(second)
    pairs = []
    for node in gm.graph.nodes:
        if a in str(node.target) and len(node.users) == 1:
            reader = next(iter(node.users))
            if b in str(reader.target):
                pairs.append((node.name, reader.name))
    return pairs
