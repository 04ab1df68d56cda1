# Clamps x to a range that holds it already: nothing changes.
import torch
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = torch.inf
        self.hi = -torch.inf

    def forward(self, x):
        self.lo = min(self.lo, x.min().item())
        self.hi = max(self.hi, x.max().item())
        return x.clamp(self.lo, self.hi)
