# finds: method
import torch
from torch import nn


def percentile_observer(p):
    class Obs(nn.Module):
        def __init__(self):
            super().__init__()
            self.v = torch.empty(0)

        def forward(self, x):
            self.v = torch.cat([self.v, x.flatten()])
            return x

        def lo(self):
            return torch.quantile(self.v, (100 - p) / 200).item()

        def hi(self):
            return torch.quantile(self.v, (100 + p) / 200).item()

    return Obs()
