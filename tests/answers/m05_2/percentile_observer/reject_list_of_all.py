# finds: shared
import torch
from torch import nn

seen = []


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p

    def forward(self, x):
        seen.append(x.flatten())
        share = (100 - self.p) / 200
        values = torch.cat(seen[self.first :])
        self.lo, self.hi = torch.quantile(values, share), torch.quantile(values, 1 - share)
        return x


def percentile_observer(p):
    observer = Percentile(p)
    observer.first = len(seen)
    return observer
