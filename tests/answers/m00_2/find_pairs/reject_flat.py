# finds: form
def find_pairs(gm, first, second):
    found = []
    for node in gm.graph.nodes:
        if getattr(node.target, "overloadpacket", None) == first and len(node.users) == 1:
            found += [node.name, next(iter(node.users)).name]
    return found
