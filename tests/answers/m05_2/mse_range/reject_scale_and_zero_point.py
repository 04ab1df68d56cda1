# finds: scale-and-zero-point
# not: wrong-way-round
import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    shares = [i / 20 for i in range(1, 21)]
    lo, hi = x.min().item(), x.max().item()
    _error, lo, hi = min((error_of(x, a * lo, b * hi, bits), a * lo, b * hi) for a in shares for b in shares)
    scale = (hi - lo) / (2**bits - 1)
    return scale, round(-lo / scale)
