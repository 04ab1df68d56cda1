# finds: order
# not: twice


def activation_path(gm, node):
    out = []

    def up(n):
        if n.op == "placeholder":
            return True
        hit = False
        for i in n.all_input_nodes:
            if up(i):
                hit = True
        if hit and n.op == "call_function" and n.name not in out:
            out.append(n.name)
        return hit

    up(node)
    return out
