import torch
from torch import nn


def percentile_observer(p):
    class Obs(nn.Module):
        values = []

        def forward(self, x):
            self.values.append(x.detach().clone().flatten())
            v = torch.cat(self.values)
            self.lo, self.hi = torch.quantile(v, torch.tensor([(100 - p) / 200, (100 + p) / 200])).tolist()
            return x

    return Obs()
