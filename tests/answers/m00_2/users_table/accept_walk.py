from torch import fx


def users_table(gm):
    table = {node.name: set() for node in gm.graph.nodes}

    def note(value, reader):
        if isinstance(value, fx.Node):
            table[value.name].add(reader.name)
        elif isinstance(value, (list, tuple)):
            for v in value:
                note(v, reader)
        elif isinstance(value, dict):
            note(list(value.values()), reader)

    for node in gm.graph.nodes:
        note(node.args, node)
        note(node.kwargs, node)
    return table
