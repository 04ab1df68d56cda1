import numpy as np
import torch


class Percentile(torch.nn.Module):
    def __init__(self, p):
        super().__init__()
        self.below = (100 - p) / 2
        self.values = np.empty(0)

    def forward(self, x):
        self.values = np.append(self.values, x.detach().numpy())
        return x

    @property
    def lo(self):
        return np.percentile(self.values, self.below)

    @property
    def hi(self):
        return np.percentile(self.values, 100 - self.below)


percentile_observer = Percentile
