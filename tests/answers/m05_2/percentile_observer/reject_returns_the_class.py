# finds: not-a-module
from torch import nn


def percentile_observer(p):
    class Percentile(nn.Module):
        def forward(self, x):
            return x

    return Percentile
