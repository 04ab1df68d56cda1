# finds: inside-lists, first-branch
# not: raised


def activation_path(gm, node):
    out = []
    n = node
    while n.op != "placeholder":
        out.append(n.name)
        n = n.args[0]
    return out[::-1]
