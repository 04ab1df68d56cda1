# finds: too-coarse
# not: fixed-share
import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    a, b = min(x.min().item(), 0), max(x.max().item(), 0)
    return min(((a * i / 5, b * j / 5) for i in range(1, 6) for j in range(1, 6)), key=lambda r: error_of(x, *r, bits))
