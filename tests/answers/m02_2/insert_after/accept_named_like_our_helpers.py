# A right answer may use names that the kit uses itself.
def check(user, new):
    return user is not new


def evidence(gm, name, module):
    gm.add_submodule(name, module)


def insert_after(gm, node, module, name):
    import warnings

    warnings.warn("a warning on stderr costs nothing", stacklevel=1)
    evidence(gm, name, module)
    with gm.graph.inserting_after(node):
        hint = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(hint, delete_user_cb=lambda user: check(user, hint))
    return hint
