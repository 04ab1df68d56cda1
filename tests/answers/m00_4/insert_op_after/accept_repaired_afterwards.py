# All uses are replaced, the new node's own input too, and that one is put right afterwards.
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_before(node.next):
        new = gm.graph.create_node("call_function", target, (node, *args), name="between")
    node.replace_all_uses_with(new)
    new.update_arg(0, node)
    gm.recompile()
    return new
