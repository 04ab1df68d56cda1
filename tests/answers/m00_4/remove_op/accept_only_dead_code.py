# The node itself is dead too, once nobody reads it.
def remove_op(gm, node):
    for user in list(node.users):
        user.replace_input_with(node, node.args[0])
    gm.graph.eliminate_dead_code()
    gm.graph.lint()
    gm.recompile()
