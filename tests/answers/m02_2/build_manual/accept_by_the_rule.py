import torch

from common.graph_utils import splice

CONV, RELU = torch.ops.aten.conv2d.default, torch.ops.aten.relu.default


def build_manual(gm, make_act, make_weight):
    nodes = list(gm.graph.nodes)
    count = 0

    def observe(node, observer):
        nonlocal count
        splice(gm, node, observer, f"activation_post_process_{count}")
        count += 1

    for node in nodes:
        if node.op == "placeholder":
            observe(node, make_act())
        if node.target == CONV:
            observe(node.args[1], make_weight())
            follower = [u for u in node.users if u.target == RELU]
            observe(follower[0] if follower else node, make_act())
    gm.recompile()
    return gm
