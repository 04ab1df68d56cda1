# finds: half
import torch


def sqnr(ref, out):
    return 10 * torch.log10(ref.norm() / (ref - out).norm())
