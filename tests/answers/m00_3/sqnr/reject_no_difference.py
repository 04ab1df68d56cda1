# finds: not-the-difference
import torch


def sqnr(ref, out):
    return 10 * torch.log10((ref**2).sum() / (out**2).sum())
