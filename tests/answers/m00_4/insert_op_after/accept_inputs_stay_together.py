def insert_op_after(gm, node, target, args):
    """inputs must stay together at the top of the graph: for a placeholder, put the node after the last one"""
    place = node
    if node.op == "placeholder":
        place = [n for n in gm.graph.nodes if n.op == "placeholder"][-1]
    users = list(node.users)
    with gm.graph.inserting_after(place):
        new = gm.graph.call_function(target, (node, *args))
    for u in users:
        u.replace_input_with(node, new)
    gm.recompile()
    return new
