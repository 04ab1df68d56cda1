# finds: not-in-steps
from itertools import combinations

import torch


def same_graph_two_backends(qdq, x, outputs):
    with torch.no_grad():
        ys = {"Q/DQ": qdq(x), **{k: v for k, v in outputs.items() if v is not None}}
    return {(a, b): float((ys[a] - ys[b]).abs().max()) for a, b in combinations(ys, 2)}
