import math

import torch


def sqnr(ref, out):
    v = 10 * torch.log10((ref**2).sum() / ((ref - out) ** 2).sum()).item()
    return round(v, 2) if v != math.inf else v
