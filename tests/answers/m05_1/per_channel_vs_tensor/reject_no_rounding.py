# Divides and multiplies, and does not round.
# finds: not-rounded
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    w = w.double()

    def worst(scale):
        back = scale * (w / scale).clamp(-127, 127)
        return min(q if q < 200 else float("inf") for q in (sqnr(a, b) for a, b in zip(w, back)))

    others = tuple(range(1, w.dim()))
    return worst(w.abs().amax(dim=others, keepdim=True).clamp(min=1e-9) / 127), worst(w.abs().max() / 127)
