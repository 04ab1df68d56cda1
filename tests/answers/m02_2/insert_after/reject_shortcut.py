# finds: shortcut
from common.pt2e import get_xnnpack_quantizer, prepare_pt2e as p


def helper(gm):
    return p(gm, get_xnnpack_quantizer()[0])


def insert_after(gm, node, module, name):
    helper(gm)
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
