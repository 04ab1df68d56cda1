# A RuntimeError that is not about quantiles.
# finds: raised
# not: percent, not-one-number
import torch
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p, self.seen = p, []

    def forward(self, x):
        self.seen.append(x)
        values = torch.stack(self.seen)
        share = (100 - self.p) / 200
        self.lo, self.hi = torch.quantile(values, torch.tensor([share, 1 - share]))
        return x


def percentile_observer(p):
    return Percentile(p)
