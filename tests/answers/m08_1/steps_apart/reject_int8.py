# finds: int8-overflow
import torch


def steps_apart(a, b, scale):
    first, second = (torch.round(t / scale).to(torch.int8).int() for t in (a, b))
    return (first - second).abs().max().item()
