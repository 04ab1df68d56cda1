import torch


def sqnr(ref, out):
    return 20 * torch.log10(ref.norm() / (out - ref).norm())
