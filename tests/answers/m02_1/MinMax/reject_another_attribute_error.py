# An AttributeError that is not about the observer's attributes.
# finds: raised
# not: other-names, no-super-init
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = float("inf")
        self.hi = float("-inf")

    def forward(self, x):
        self.lo = min(self.lo, x.lowest().item())
        self.hi = max(self.hi, x.max().item())
        return x
