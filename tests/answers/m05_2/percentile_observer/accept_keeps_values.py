import torch
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p, self.seen = p, []

    def forward(self, x):
        self.seen.append(x.detach().flatten().clone())
        share = (100 - self.p) / 200
        q = torch.tensor([share, 1 - share])
        self.lo, self.hi = torch.quantile(torch.cat(self.seen), q)
        return x


def percentile_observer(p):
    return Percentile(p)
