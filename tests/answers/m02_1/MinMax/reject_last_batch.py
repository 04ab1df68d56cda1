# finds: last-batch
# not: first-batch, average
import torch


class MinMax(torch.nn.Module):
    def forward(self, x):
        self.lo, self.hi = x.detach().min(), x.detach().max()
        return x
