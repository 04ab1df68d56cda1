# finds: swapped
import torch


def sqnr(ref, out):
    return 10 * torch.log10((out**2).sum() / ((ref - out) ** 2).sum())
