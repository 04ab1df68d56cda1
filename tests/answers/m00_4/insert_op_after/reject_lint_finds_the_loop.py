# finds: self-loop
# The answer looks its graph over, and stops there.
def insert_op_after(gm, node, target, args):
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    node.replace_all_uses_with(new)
    gm.graph.lint()
    gm.recompile()
    return new
