from torch import fx


def insert_op_after(gm, node, target, args):
    consumers = [n for n in gm.graph.nodes if node in n.all_input_nodes]
    with gm.graph.inserting_after(node):
        new = gm.graph.call_function(target, (node, *args))

    def swap(n):
        return new if n is node else n

    for c in consumers:
        c.args = fx.node.map_arg(c.args, swap)
        c.kwargs = fx.node.map_arg(c.kwargs, swap)
    gm.recompile()
    return new
