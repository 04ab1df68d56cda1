# finds: inside-lists
# not: first-branch
from torch import fx


def activation_path(gm, node):
    seen, todo = set(), [node]
    while todo:
        current = todo.pop()
        if current not in seen and current.op == "call_function":
            seen.add(current)
            todo += [a for a in current.args if isinstance(a, fx.Node)]
    return [n.name for n in gm.graph.nodes if n in seen]
