# finds: too-much
def remove_op(gm, node):
    for user in list(node.users):
        if user.op != "output":
            user.replace_all_uses_with(node.args[0])
            gm.graph.erase_node(user)
    node.replace_all_uses_with(node.args[0])
    gm.graph.erase_node(node)
    gm.graph.eliminate_dead_code()
    gm.recompile()
