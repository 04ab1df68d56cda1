# finds: wrong-axis
# not: one-for-all, last-batch
import torch


class PerChannelMinMax(torch.nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis, self.lo, self.hi = axis, torch.tensor(float("inf")), torch.tensor(-float("inf"))

    def forward(self, x):
        self.lo = torch.minimum(self.lo, x.amin(dim=self.axis))
        self.hi = torch.maximum(self.hi, x.amax(dim=self.axis))
        return x

    def scales(self):
        return (torch.maximum(-self.lo, self.hi) / 127).clamp(min=2**-12)
