# finds: alias
# not: changes-x
import torch
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.share, self.seen = (100 - p) / 200, []

    @property
    def lo(self):
        return torch.cat(self.seen).quantile(self.share)

    @property
    def hi(self):
        return torch.cat(self.seen).quantile(1 - self.share)

    def forward(self, x):
        self.seen.append(x.detach().flatten())
        return x


def percentile_observer(p):
    return Percentile(p)
