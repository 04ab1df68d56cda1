# finds: after-consumers
def insert_op_after(gm, node, target, args):
    consumers = list(node.users)
    with gm.graph.inserting_before(list(gm.graph.nodes)[-1]):
        new = gm.graph.call_function(target, (node, *args))
    for consumer in consumers:
        consumer.replace_input_with(node, new)
    gm.recompile()
    return new
