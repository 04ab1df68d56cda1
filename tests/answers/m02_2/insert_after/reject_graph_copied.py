# finds: returns-nothing
# The returned node belongs to a graph that is not in use any more.
import copy


def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    gm.graph = copy.deepcopy(gm.graph)
    return new
