# finds: text-search
def find_pairs(gm, first, second):
    a, b = (str(p).split(".")[-1] for p in (first, second))
    found = []
    for node in gm.graph.nodes:
        if node.name.startswith(a) and len(node.users) == 1:
            (reader,) = node.users
            if reader.name.startswith(b):
                found.append((node.name, reader.name))
    return found
