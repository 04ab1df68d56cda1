# finds: missing-backend
# not: raised
from itertools import combinations

import torch

from common.backends.comparison import output_step


def same_graph_two_backends(qdq, x, outputs):
    with torch.no_grad():
        ys = {"Q/DQ": qdq(x), **outputs}
    step = output_step(qdq)
    return {(a, b): int(((ys[a] - ys[b]) / step).round().abs().max()) for a, b in combinations(ys, 2)}
