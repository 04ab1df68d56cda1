# The whole forward under no_grad; x itself is returned all the same.
import torch
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = torch.inf
        self.hi = -torch.inf

    @torch.no_grad()
    def forward(self, x):
        self.lo = min(self.lo, x.min().item())
        self.hi = max(self.hi, x.max().item())
        return x
