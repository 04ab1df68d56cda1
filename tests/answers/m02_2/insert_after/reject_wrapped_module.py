# finds: module-copied
from torch import nn


def insert_after(gm, node, module, name):
    gm.add_module(name, nn.Sequential(module))
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
