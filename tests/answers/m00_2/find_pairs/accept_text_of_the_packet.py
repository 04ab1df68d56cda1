def find_pairs(gm, first, second):
    # "aten.conv2d.default" -> "aten.conv2d"
    def pk(n):
        return str(n.target).rsplit(".", 1)[0]

    return [
        (n.name, u.name)
        for n in gm.graph.nodes
        if n.op == "call_function" and pk(n) == str(first) and len(n.users) == 1
        for u in n.users
        if pk(u) == str(second)
    ]
