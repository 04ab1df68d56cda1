# finds: keeps-gradient
# not: cuts-gradient
import torch


class MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lo, self.hi = torch.tensor(float("inf")), torch.tensor(-float("inf"))

    def forward(self, x):
        self.lo = torch.minimum(self.lo, x.min())
        self.hi = torch.maximum(self.hi, x.max())
        return x
