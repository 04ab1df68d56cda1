# finds: one-for-all
# not: wrong-axis, last-batch
import torch


class PerChannelMinMax(torch.nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.lo, self.hi = torch.tensor(float("inf")), torch.tensor(-float("inf"))

    def forward(self, x):
        self.lo, self.hi = torch.minimum(self.lo, x.min()), torch.maximum(self.hi, x.max())
        return x

    def scales(self):
        return (torch.maximum(-self.lo, self.hi) / 127).clamp(min=2**-12)
