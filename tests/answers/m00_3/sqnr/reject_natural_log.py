# finds: natural-log
# not: double
import torch


def sqnr(ref, out):
    return 10 * torch.log((ref**2).sum() / ((ref - out) ** 2).sum())
