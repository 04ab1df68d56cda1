# finds: equality
import torch


def steps_apart(a, b, scale):
    return torch.equal(a, b)
