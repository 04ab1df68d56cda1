# finds: capped
# not: equal-tensors
import torch


def sqnr(ref, out):
    return 10 * torch.log10((ref**2).sum() / (((ref - out) ** 2).sum() + 1e-12))
