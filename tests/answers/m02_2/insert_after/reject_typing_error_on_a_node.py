# finds: raised
# not: called-directly, no-submodule
def insert_after(gm, node, module, name):
    consumers = list(node.usr)
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    for consumer in consumers:
        consumer.replace_input_with(node, new)
    return new
