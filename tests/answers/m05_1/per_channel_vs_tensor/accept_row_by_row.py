# Each channel by itself, in float64, with its own logarithm; the pair as a list of tensors.
import math

import torch


def per_channel_vs_tensor(w):
    w = w.double()

    def db(row, scale):
        if scale == 0:
            return math.inf
        error = row - scale * torch.round(row / scale)
        if error.square().sum() == 0:
            return math.inf
        return 10 * torch.log10(row.square().sum() / error.square().sum())

    everything = w.abs().max() / 127
    return [
        min((db(row, row.abs().max() / 127) for row in w)),
        min((db(row, everything) for row in w)),
    ]
