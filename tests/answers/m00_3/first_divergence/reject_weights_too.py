# finds: weight
import torch
from torch import fx

from common.graph_utils import sqnr


def values(gm, x):
    found = {}

    class R(fx.Interpreter):
        def run_node(self, n):
            value = super().run_node(n)
            if torch.is_tensor(value):
                found[n.name] = value.clone()
            return value

    with torch.no_grad():
        R(gm).run(x)
    return found


def first_divergence(gm_a, gm_b, x, dB):
    a, b = values(gm_a, x), values(gm_b, x)
    for name in a:
        if name in b and sqnr(a[name], b[name]) < dB:
            return name
    return None
