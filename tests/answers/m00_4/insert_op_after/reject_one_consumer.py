# finds: only-first-user
def insert_op_after(gm, node, target, args):
    consumer = next(u for u in node.users if u.op != "call_module")
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    consumer.replace_input_with(node, new)
    gm.recompile()
    return new
