# Starts with one infinite limit for all channels, and permutes the axes.
import torch
from torch import nn


class PerChannelMinMax(nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis = axis
        self.lo = torch.tensor(float("inf"))
        self.hi = torch.tensor(-float("inf"))

    def forward(self, x):
        order = [self.axis] + [i for i in range(x.ndim) if i != self.axis]
        y = x.detach().permute(order).reshape(x.shape[self.axis], -1)
        self.lo = torch.minimum(self.lo, y.min(1)[0])
        self.hi = torch.maximum(self.hi, y.max(1)[0])
        return x

    def scales(self):
        return torch.maximum(self.lo.abs(), self.hi.abs()).div(127).clamp_min(2**-12)
