# amax / 128.
# finds: half-width
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    def back(scale):
        scale = torch.as_tensor(scale).clamp(min=1e-12)
        return scale * torch.round(w / scale).clamp(-127, 127)

    others = tuple(range(1, w.dim()))
    each = w.abs().amax(dim=others, keepdim=True) / 128
    one = w.abs().max() / 128
    return tuple(min(sqnr(a, b) for a, b in zip(w, back(s))) for s in (each, one))
