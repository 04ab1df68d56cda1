# Writes no labels.
# finds: no-label
# not: on-a-copy, another-place


def put_labels(gm, name, spec):
    next(n for n in gm.graph.nodes if n.name == name)
