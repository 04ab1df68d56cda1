def downstream(node):
    seen, todo = set(), list(node.users)
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(current.users)
    return seen


def activation_path(gm, node):
    ok = set()
    for p in gm.graph.nodes:
        if p.op == "placeholder":
            ok |= downstream(p)
    return tuple(
        n.name for n in gm.graph.nodes if n.op == "call_function" and n in ok and (n is node or node in downstream(n))
    )
