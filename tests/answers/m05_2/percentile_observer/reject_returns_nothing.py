# finds: forward-returns-nothing
# not: changes-x
import torch
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p, self.seen = p, []

    def forward(self, x):
        self.seen.append(x.flatten())
        share = (100 - self.p) / 200
        self.lo, self.hi = torch.quantile(torch.cat(self.seen), torch.tensor([share, 1 - share]))


def percentile_observer(p):
    return Percentile(p)
