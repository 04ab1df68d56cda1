# lo and hi are computed when they are asked for.
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    def forward(self, x):
        self.seen.append((float(x.min()), float(x.max())))
        return x

    @property
    def lo(self):
        return min(a for a, _ in self.seen)

    @property
    def hi(self):
        return max(b for _, b in self.seen)
