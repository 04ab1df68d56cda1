import torch


def steps_apart(a, b, scale):
    return (torch.round(a / scale).to(torch.int64) - torch.round(b / scale).to(torch.int64)).abs().max()
