# finds: form
# not: raised
import torch


def sqnr(ref, out):
    n = ((ref - out) ** 2).sum()
    if n == 0:
        return "inf"
    return 10 * torch.log10((ref**2).sum() / n)
