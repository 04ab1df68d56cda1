# Sorts, and takes the values at two places; a class inside of the function.
import torch
from torch import nn


def percentile_observer(p):
    class Observer(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("values", torch.empty(0))

        @torch.no_grad()
        def forward(self, x):
            self.values = torch.cat([self.values, x.reshape(-1)]).sort().values
            left_out = int(len(self.values) * (100 - p) / 100 / 2)
            self.lo = self.values[left_out].item()
            self.hi = self.values[len(self.values) - 1 - left_out].item()
            return x

    return Observer()
