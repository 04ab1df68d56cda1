# finds: inside-lists
# not: by-module, some-missing
from torch import fx


def parameters_used_by(gm, node):
    return {a.target for a in node.args if isinstance(a, fx.Node) and a.op == "get_attr"}
