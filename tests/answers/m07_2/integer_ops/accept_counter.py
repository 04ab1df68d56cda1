from collections import Counter

import torch

from common.graph_utils import short


def integer_ops(gm):
    return Counter(short(n.args[0]) for n in gm.graph.nodes if n.target == torch.ops.higher_order.out_dtype)
