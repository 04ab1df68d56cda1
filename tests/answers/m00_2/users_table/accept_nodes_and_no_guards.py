from collections import defaultdict

from torch import fx


def users_table(gm):
    table = defaultdict(list)
    for reader in gm.graph.nodes:
        table[reader]
        if reader.op != "call_module":
            fx.node.map_arg(
                (reader.args, reader.kwargs), lambda n: table[n].append(reader) if reader not in table[n] else None
            )
    return table
