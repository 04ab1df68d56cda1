# The consumers are remembered before the new node exists, and moved one by one; recompiled and linted at once.
def insert_after(gm, node, module, name):
    consumers = list(node.users)
    gm.add_module(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.create_node("call_module", name, args=(node,))
    for consumer in consumers:
        consumer.replace_input_with(node, new)
    gm.graph.lint()
    gm.recompile()
    return new
