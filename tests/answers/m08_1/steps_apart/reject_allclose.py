# finds: equality
import torch


def steps_apart(a, b, scale):
    return torch.allclose(a, b, atol=1e-3)
