# The two numbers in the other order.
# finds: swapped
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    def worst(scale):
        back = scale * torch.round(w / scale)
        return min(sqnr(a, b) for a, b in zip(w, back))

    others = tuple(range(1, w.dim()))
    return worst(w.abs().max() / 127), worst(w.abs().amax(dim=others, keepdim=True).clamp(min=1e-9) / 127)
