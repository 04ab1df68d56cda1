# All limits are kept, and asked when they are needed; what is passed on is an equal tensor, not the same one.
import torch


class MinMax(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.seen = []

    @torch.no_grad()
    def remember(self, x):
        self.seen += [x.min(), x.max()]

    @property
    def lo(self):
        return torch.stack(self.seen).min()

    @property
    def hi(self):
        return torch.stack(self.seen).max()

    def forward(self, x):
        self.remember(x)
        return x.clone()
