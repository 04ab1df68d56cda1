# The scales of an affine grid.
# finds: affine-scale
# not: half-width
import torch
from torch import nn


class PerChannelMinMax(nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis = axis
        self.lo = self.hi = None

    def forward(self, x):
        flat = x.detach().movedim(self.axis, 0).flatten(1)
        lo, hi = flat.amin(1), flat.amax(1)
        self.lo = lo if self.lo is None else torch.minimum(self.lo, lo)
        self.hi = hi if self.hi is None else torch.maximum(self.hi, hi)
        return x

    def scales(self):
        return ((self.hi - self.lo) / 254).clamp(min=2**-12)
