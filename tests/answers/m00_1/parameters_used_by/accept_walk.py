def parameters_used_by(gm, node):
    found = []

    def walk(value):
        if isinstance(value, (list, tuple)):
            for v in value:
                walk(v)
        elif getattr(value, "op", None) == "get_attr":
            found.append(value.target)

    walk(node.args)
    walk(list(node.kwargs.values()))
    return found
