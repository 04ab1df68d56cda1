# Plain Python: a sorted list and positions between two values.
from torch import nn


class Percentile(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.p = p
        self.values = []

    def forward(self, x):
        self.values = sorted(self.values + x.flatten().tolist())
        last = len(self.values) - 1
        self.lo = self._between((100 - self.p) / 200 * last)
        self.hi = self._between((100 + self.p) / 200 * last)
        return x

    def _between(self, at):
        i = min(int(at), len(self.values) - 2)
        return self.values[i] + (at - i) * (self.values[i + 1] - self.values[i])


def percentile_observer(p):
    return Percentile(p)
