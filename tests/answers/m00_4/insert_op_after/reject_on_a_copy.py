# finds: on-a-copy
# not: nothing-inserted
import copy


def insert_op_after(gm, node, target, args):
    gm = copy.deepcopy(gm)
    node = next(n for n in gm.graph.nodes if n.name == node.name)
    users = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.replace_input_with(node, new)
    gm.recompile()
    return new
