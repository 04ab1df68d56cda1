# finds: not-erased
# The node itself is taken for dead, once nobody reads it: not so where it works in place.
def remove_op(gm, node):
    for user in list(node.users):
        user.replace_input_with(node, node.args[0])
    gm.graph.eliminate_dead_code()
    gm.graph.lint()
    gm.recompile()
