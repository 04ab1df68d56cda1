# Only the convs read the observer of the input; what checks the shapes goes on reading x.
from common.graph_utils import short


def build_manual(gm, make_act, make_weight):
    def put(node, module, consumers):
        name = f"observer_of_{node.name}"
        gm.add_submodule(name, module)
        with gm.graph.inserting_after(node):
            new = gm.graph.call_module(name, (node,))
        for consumer in consumers:
            consumer.replace_input_with(node, new)

    for n in list(gm.graph.nodes):
        if n.op == "placeholder":
            put(n, make_act(), [u for u in n.users if short(u.target) == "conv2d"])
        elif short(n.target) == "conv2d":
            put(n.args[1], make_weight(), [n])
            (user,) = n.users
            last = user if short(user.target) == "relu" else n
            put(last, make_act(), list(last.users))
    gm.recompile()
    return gm
