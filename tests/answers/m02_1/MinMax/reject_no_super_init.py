# Does not call super().__init__().
# finds: no-super-init
# not: raised, other-names
import torch
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        self.lo = torch.inf
        self.hi = -torch.inf

    def forward(self, x):
        self.lo = min(self.lo, x.min().item())
        self.hi = max(self.hi, x.max().item())
        return x
