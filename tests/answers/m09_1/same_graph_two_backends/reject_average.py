# finds: average
# not: truncates, signed
from itertools import combinations

import torch

from common.backends.comparison import output_step


def same_graph_two_backends(qdq, x, outputs):
    with torch.no_grad():
        ys = {"Q/DQ": qdq(x), **{k: v for k, v in outputs.items() if v is not None}}
    step = output_step(qdq)
    return {(a, b): round(((ys[a] - ys[b]).abs().mean() / step).item()) for a, b in combinations(ys, 2)}
