# finds: upside-down
# not: swapped
import torch


def sqnr(ref, out):
    return 10 * torch.log10(((ref - out) ** 2).sum() / (ref**2).sum())
