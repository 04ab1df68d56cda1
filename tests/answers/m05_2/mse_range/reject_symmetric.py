# finds: symmetric
import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    m = x.abs().max().item()
    f = min((m * k / 200 for k in range(1, 201)), key=lambda f: error_of(x, -f, f, bits))
    return -f, f
