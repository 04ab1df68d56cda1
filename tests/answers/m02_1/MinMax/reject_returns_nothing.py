# finds: forward-returns-nothing
# not: changes-x
import torch


class MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lo, self.hi = float("inf"), -float("inf")

    def forward(self, x):
        self.lo = min(self.lo, x.min().item())
        self.hi = max(self.hi, x.max().item())
