# finds: counts-uses
# not: first-argument
def find_pairs(gm, first, second):
    uses = {}
    for reader in gm.graph.nodes:
        for value in reader.args:
            for node in value if isinstance(value, (list, tuple)) else [value]:
                if hasattr(node, "users"):
                    uses.setdefault(node, []).append(reader)
    return [
        (node.name, readers[0].name)
        for node, readers in uses.items()
        if len(readers) == 1
        and getattr(node.target, "overloadpacket", None) == first
        and getattr(readers[0].target, "overloadpacket", None) == second
    ]
