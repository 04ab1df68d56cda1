# finds: inside-lists
# not: first-argument
from torch import fx


def users_table(gm):
    table = {n.name: set() for n in gm.graph.nodes}
    for reader in gm.graph.nodes:
        for value in [*reader.args, *(reader.args[0] if reader.op == "output" else ())]:
            if isinstance(value, fx.Node):
                table[value.name].add(reader.name)
    return table
