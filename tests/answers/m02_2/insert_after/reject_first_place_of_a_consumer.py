# finds: only-first-user
# A consumer that reads the node twice gets the new node in one place only.
import torch.fx


def insert_after(gm, node, module, name):
    consumers = list(node.users)
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    for consumer in consumers:
        done = False

        def swap(n):
            nonlocal done
            if n is node and not done:
                done = True
                return new
            return n

        consumer.args = torch.fx.map_arg(consumer.args, swap)
    return new
