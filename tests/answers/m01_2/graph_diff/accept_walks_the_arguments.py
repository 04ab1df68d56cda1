# Walks through args and kwargs by itself, and leaves _guards_fn out.
import torch.fx as fx


def graph_diff(before, after):
    def flat(x):
        if isinstance(x, fx.Node):
            return [x.name]
        if isinstance(x, (list, tuple)):
            return [y for e in x for y in flat(e)]
        if isinstance(x, dict):
            return [y for e in x.values() for y in flat(e)]
        return []

    B = {n.name: flat([n.args, n.kwargs]) for n in before.graph.nodes if n.name != "_guards_fn"}
    A = {n.name: flat([n.args, n.kwargs]) for n in after.graph.nodes if n.name != "_guards_fn"}
    return {
        "added": A.keys() - B.keys(),
        "removed": set(B) - set(A),
        "rewired": {n for n in A.keys() & B.keys() if A[n] != B[n]},
    }
