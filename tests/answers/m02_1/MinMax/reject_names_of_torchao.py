# Calls the attributes as torchao does.
# finds: other-names
# not: raised
import torch
from torch import nn


class MinMax(nn.Module):
    def __init__(self):
        super().__init__()
        self.min_val = torch.inf
        self.max_val = -torch.inf

    def forward(self, x):
        self.min_val = min(self.min_val, x.min().item())
        self.max_val = max(self.max_val, x.max().item())
        return x
