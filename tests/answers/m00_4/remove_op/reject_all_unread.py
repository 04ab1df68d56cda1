# finds: in-place-erased
# Whatever nobody reads is taken for dead.
def remove_op(gm, node):
    node.replace_all_uses_with(node.args[0])
    changed = True
    while changed:
        changed = False
        for n in reversed(list(gm.graph.nodes)):
            if not n.users and n.op in ("call_function", "get_attr"):
                gm.graph.erase_node(n)
                changed = True
    gm.recompile()
