# finds: first-input
# not: first-branch


def downstream(node):
    seen, todo = set(), list(node.users)
    while todo:
        current = todo.pop()
        if current not in seen:
            seen.add(current)
            todo.extend(current.users)
    return seen


def activation_path(gm, node):
    p = next(n for n in gm.graph.nodes if n.op == "placeholder")
    ok = downstream(p)
    return [
        n.name for n in gm.graph.nodes if n.op == "call_function" and n in ok and (n is node or node in downstream(n))
    ]
