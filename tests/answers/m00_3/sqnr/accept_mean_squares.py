import torch
import torch.nn.functional as F


def sqnr(ref, out):
    n = F.mse_loss(out, ref)
    s = F.mse_loss(ref, torch.zeros_like(ref))
    return 10 * torch.log10(s / n)
