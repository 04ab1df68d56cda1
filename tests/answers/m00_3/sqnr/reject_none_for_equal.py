# finds: returns-nothing
import torch


def sqnr(ref, out):
    n = ((ref - out) ** 2).sum()
    if n == 0:
        return None
    return 10 * torch.log10((ref**2).sum() / n)
