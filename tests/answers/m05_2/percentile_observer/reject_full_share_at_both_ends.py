# finds: both-tails-full
# not: one-tail
import torch
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p, self.seen = p, []
        self.lo = self.hi = None

    def quantiles(self, values, below=None, above=None):
        share = (100 - self.p) / 200
        q = [share if below is None else below, 1 - (share if above is None else above)]
        return torch.quantile(values.detach().flatten(), torch.tensor(q)).tolist()

    def forward(self, x):
        self.seen.append(x.flatten())
        share = (100 - self.p) / 100
        self.lo, self.hi = self.quantiles(torch.cat(self.seen), share, share)
        return x


def percentile_observer(p):
    return Percentile(p)
