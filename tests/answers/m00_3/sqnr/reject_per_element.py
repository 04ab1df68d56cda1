# finds: raised
import torch


def sqnr(ref, out):
    return 10 * torch.log10(ref**2 / (ref - out) ** 2)
