from collections import defaultdict

from torch import fx


def users_table(gm):
    table = defaultdict(list)
    for reader in gm.graph.nodes:
        table[reader.name]
        if reader.op != "call_module":
            fx.node.map_arg(
                (reader.args, reader.kwargs), lambda n: table[n.name].append(reader.name) if reader.name not in table[n.name] else None
            )
    return table
