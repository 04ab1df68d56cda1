import torch


def parameters_used_by(gm, node):
    found = set()

    def visit(a):
        if isinstance(a, torch.fx.Node):
            if a.op == "get_attr":
                found.add(a.target)
        elif isinstance(a, (list, tuple)):
            for b in a:
                visit(b)
        elif isinstance(a, dict):
            for b in a.values():
                visit(b)

    visit(node.args)
    visit(node.kwargs)
    return found
