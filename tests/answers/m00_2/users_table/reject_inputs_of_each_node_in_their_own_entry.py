# finds: plain-values
# A first try: args hold lists and numbers too, and these have no name.
def users_table(gm):
    table = {n.name: [] for n in gm.graph.nodes}
    for n in gm.graph.nodes:
        for a in n.args:
            table[a.name].append(n.name)
    return table
