import torch


def error_of(x, lo, hi, bits):
    lo, hi, top = min(lo, 0.0), max(hi, 0.0), 2**bits - 1
    scale = max((hi - lo) / top, 1e-6)
    back = torch.fake_quantize_per_tensor_affine(x, scale, round(-lo / scale), 0, top)
    return (x - back).square().sum().item()


def mse_range(x, bits):
    a, b = min(x.min().item(), 0.0), max(x.max().item(), 0.0)
    cand = [(i / 20, j / 20) for i in range(21) for j in range(21)]
    f = min(cand, key=lambda c: error_of(x, a * c[0], b * c[1], bits))
    step = 1 / 20
    for _ in range(4):
        cand = [(f[0] + i * step / 4, f[1] + j * step / 4) for i in range(-4, 5) for j in range(-4, 5)]
        cand = [(min(max(u, 0), 1), min(max(v, 0), 1)) for u, v in cand]
        f = min(cand, key=lambda c: error_of(x, a * c[0], b * c[1], bits))
        step /= 4
    return [a * f[0], b * f[1]]
