# Expects four axes.
# finds: number-of-axes
# not: raised
import torch
from torch import nn


class PerChannelMinMax(nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis = axis
        self.lo = self.hi = None

    def forward(self, x):
        dims = [d for d in range(4) if d != self.axis]
        lo, hi = x.detach().amin(dims), x.detach().amax(dims)
        self.lo = lo if self.lo is None else torch.minimum(self.lo, lo)
        self.hi = hi if self.hi is None else torch.maximum(self.hi, hi)
        return x

    def scales(self):
        return (torch.maximum(-self.lo, self.hi) / 127).clamp(min=2**-12)
