# finds: first-batch
# not: last-batch, average
import torch


class MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.lo = self.hi = None

    def forward(self, x):
        if self.lo is None:
            self.lo, self.hi = x.min().item(), x.max().item()
        return x
