# finds: output-only
# not: agree
# Looks at the outputs, and names the op that made them.
import torch

from common.graph_utils import sqnr


def first_divergence(gm_a, gm_b, x, dB):
    last = [n.name for n in gm_a.graph.nodes if n.op == "call_function"][-1]
    with torch.no_grad():
        return last if sqnr(gm_a(x), gm_b(x)) < dB else None
