# finds: always-axis-0
# not: wrong-axis
import torch


class PerChannelMinMax(torch.nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.lo, self.hi = torch.tensor(float("inf")), torch.tensor(-float("inf"))

    def forward(self, x):
        self.lo = torch.minimum(self.lo, x.flatten(1).amin(1))
        self.hi = torch.maximum(self.hi, x.flatten(1).amax(1))
        return x

    def scales(self):
        return (torch.maximum(-self.lo, self.hi) / 127).clamp(min=2**-12)
