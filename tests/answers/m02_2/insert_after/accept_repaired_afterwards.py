# All uses are replaced, the new node's own input too, and that one is put right afterwards.
import torch


def insert_after(gm: torch.fx.GraphModule, node, module, name, **unused):
    setattr(gm, name, module)
    with gm.graph.inserting_before(node.next):
        new = gm.graph.call_module(name, args=(node,))
    node.replace_all_uses_with(new)
    new.args = (node,)
    return new
