import torch


class PerChannelMinMax(torch.nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis, self.seen = axis, {}

    def forward(self, x):
        for i, channel in enumerate(x.unbind(self.axis)):
            lo, hi = self.seen.get(i, (float("inf"), -float("inf")))
            self.seen[i] = (min(lo, float(channel.min())), max(hi, float(channel.max())))
        return x

    @property
    def lo(self):
        return torch.tensor([self.seen[i][0] for i in range(len(self.seen))])

    @property
    def hi(self):
        return torch.tensor([self.seen[i][1] for i in range(len(self.seen))])

    def scales(self):
        return torch.tensor([max(max(abs(lo), abs(hi)) / 127.0, 2**-12) for lo, hi in self.seen.values()])
