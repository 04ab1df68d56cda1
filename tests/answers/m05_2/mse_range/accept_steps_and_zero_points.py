# Searches over scales and zero points, and makes the range of them.
import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    top = 2**bits - 1
    widest = (max(x.max().item(), 0) - min(x.min().item(), 0)) / top
    best, found = float("inf"), None
    zero_points = range(top + 1) if bits < 8 else range(0, top + 1, 3)
    for zero_point in zero_points:
        for i in range(5, 51) if bits < 8 else range(30, 51):
            s = i / 50 * widest
            q = ((x / s).round() + zero_point).clamp(0, top)
            error = (x - (q - zero_point) * s).square().sum().item()
            if error < best:
                best, found = error, (-zero_point * s, (top - zero_point) * s)
    return found
