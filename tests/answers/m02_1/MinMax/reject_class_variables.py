# finds: shared
# not: average
import torch


class MinMax(torch.nn.Module):
    seen = []

    @property
    def lo(self):
        return min(self.seen)

    @property
    def hi(self):
        return max(self.seen)

    def forward(self, x):
        self.seen += [x.min().item(), x.max().item()]
        return x
