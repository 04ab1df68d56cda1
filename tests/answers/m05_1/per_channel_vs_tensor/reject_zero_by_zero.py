# 0 / 0 in the channel of zeros.
# finds: zero-channel
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    def worst(scale):
        back = scale * torch.round(w / scale)
        return min(sqnr(a, b) for a, b in zip(w, back))

    others = tuple(range(1, w.dim()))
    return worst(w.abs().amax(dim=others, keepdim=True) / 127), worst(w.abs().max() / 127)
