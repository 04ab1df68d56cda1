# finds: peak
import torch


def sqnr(ref, out):
    return 10 * torch.log10(ref.abs().max() ** 2 / ((ref - out) ** 2).mean())
