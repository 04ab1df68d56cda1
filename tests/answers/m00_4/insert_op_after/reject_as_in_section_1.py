# finds: only-first-user
# Cold: section 1 with other names; one reader is looked for, and nothing else.
def insert_op_after(gm, node, target, args):
    consumer = [n for n in gm.graph.nodes if node in n.args or n.op == "output"][0]
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))
    consumer.replace_input_with(node, new)
    gm.recompile()
    return new
