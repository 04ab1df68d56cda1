from collections import defaultdict

import torch


def integer_ops(gm):
    counts = defaultdict(int)
    for node in gm.graph.find_nodes(op="call_function", target=torch.ops.higher_order.out_dtype):
        counts[node.args[0].name().removeprefix("aten::").split(".")[0]] += 1
    return counts
