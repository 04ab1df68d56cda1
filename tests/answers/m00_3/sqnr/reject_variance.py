# finds: mean-removed
import torch


def sqnr(ref, out):
    return 10 * torch.log10(ref.var() / (ref - out).var())
