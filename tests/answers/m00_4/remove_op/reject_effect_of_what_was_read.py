# finds: in-place-erased
# What was read before and is no more is taken for dead, whether it writes into another tensor or not.
def remove_op(gm, node):
    dead_before = {n for n in gm.graph.nodes if not n.users}
    keep = node.args[0]
    node.replace_all_uses_with(keep)
    for n in reversed(list(gm.graph.nodes)):
        if not n.users and n not in dead_before and n.op in ("call_function", "get_attr"):
            gm.graph.erase_node(n)
    gm.recompile()
