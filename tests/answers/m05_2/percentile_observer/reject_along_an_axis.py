# A quantile for each place of a picture.
# finds: not-one-number
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
        self.seen.append(x)
        share = (100 - self.p) / 200
        values = torch.cat(self.seen)
        self.lo, self.hi = values.quantile(share, dim=0), values.quantile(1 - share, dim=0)
        return x


def percentile_observer(p):
    return Percentile(p)
