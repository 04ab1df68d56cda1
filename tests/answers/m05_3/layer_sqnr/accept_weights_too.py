# Weights and inputs are in the result as well: that does no harm.
import copy
import math

import torch
from torch import fx

from common.graph_utils import sqnr


def record(gm, x):
    interpreter = fx.Interpreter(copy.deepcopy(gm), garbage_collect_values=False)
    with torch.no_grad():
        interpreter.run(x)
    return {n.name: v for n, v in interpreter.env.items() if isinstance(v, torch.Tensor) and n.op != "output"}


def layer_sqnr(gm_a, gm_b, x):
    a, b = record(gm_a, x), record(gm_b, x)
    return {n: (sqnr(a[n], b[n]) if not torch.equal(a[n], b[n]) else math.inf) for n in a if n in b and a[n].shape == b[n].shape}
