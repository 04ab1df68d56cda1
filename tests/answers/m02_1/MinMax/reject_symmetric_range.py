# Keeps the largest distance from 0.
# finds: made-symmetric
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = 0
        self.hi = 0

    def forward(self, x):
        self.hi = max(self.hi, x.abs().max().item())
        self.lo = -self.hi
        return x
