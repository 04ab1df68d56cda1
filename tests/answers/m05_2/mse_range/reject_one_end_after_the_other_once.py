# finds: one-after-the-other
# not: fixed-share
import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    a, b = x.min().item(), x.max().item()
    hi = min((b * k / 100 for k in range(1, 101)), key=lambda h: error_of(x, a, h, bits))
    lo = min((a * k / 100 for k in range(1, 101)), key=lambda l: error_of(x, l, hi, bits))
    hi = min((b * k / 100 for k in range(1, 101)), key=lambda h: error_of(x, lo, h, bits))
    return lo, hi
