import torch


class PerChannelMinMax(torch.nn.Module):
    def __init__(self, axis):
        super().__init__()
        self.axis = axis
        self.register_buffer("lo", torch.tensor(float("inf")))
        self.register_buffer("hi", torch.tensor(-float("inf")))

    @torch.no_grad()
    def forward(self, x):
        rows = x.transpose(0, self.axis).flatten(1)
        self.lo = torch.minimum(self.lo, rows.min(dim=1).values)
        self.hi = torch.maximum(self.hi, rows.max(dim=1).values)
        return x

    def scales(self):
        largest = torch.stack([self.lo.abs(), self.hi.abs()]).amax(0)
        return torch.max(largest / 127, torch.tensor(1 / 4096))
