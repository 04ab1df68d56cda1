# finds: average
# not: last-batch, first-batch
import torch


class MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = self.hi = None

    def forward(self, x):
        lo, hi = x.min().item(), x.max().item()
        if self.lo is None:
            self.lo, self.hi = lo, hi
        self.lo, self.hi = self.lo + 0.1 * (lo - self.lo), self.hi + 0.1 * (hi - self.hi)
        return x
