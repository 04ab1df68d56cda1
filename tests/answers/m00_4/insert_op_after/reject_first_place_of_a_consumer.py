# finds: only-first-user
# A consumer that reads the node twice gets the new node in one place only.
def insert_op_after(gm, node, target, args):
    consumers = list(node.users)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    for consumer in consumers:
        if node in consumer.args:
            consumer.update_arg(consumer.args.index(node), new)
        else:
            consumer.replace_input_with(node, new)
    gm.recompile()
    return new
