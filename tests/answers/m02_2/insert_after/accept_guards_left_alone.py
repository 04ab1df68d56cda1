# The check of the input shapes (_guards_fn) goes on reading the old node, as with prepare_pt2e.
import torch.fx


def insert_after(gm: torch.fx.GraphModule, node, module, name):
    note = "the same as splice"
    consumers = [u for u in node.users if u.target != "_guards_fn"]
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    for consumer in consumers:
        consumer.args = torch.fx.map_arg(consumer.args, lambda n: new if n is node else n)
        consumer.kwargs = torch.fx.map_arg(consumer.kwargs, lambda n: new if n is node else n)
    return new
