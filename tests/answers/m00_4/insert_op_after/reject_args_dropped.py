# finds: args-dropped
def insert_op_after(gm, node, target, args):
    consumers = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node,))
    for consumer in consumers:
        consumer.replace_input_with(node, new)
    gm.recompile()
    return new
