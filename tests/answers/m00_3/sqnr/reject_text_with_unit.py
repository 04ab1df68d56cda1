# finds: form
# not: raised
import torch


def sqnr(ref, out):
    return f"{10 * torch.log10((ref**2).sum() / ((ref - out) ** 2).sum()):.2f} dB"
