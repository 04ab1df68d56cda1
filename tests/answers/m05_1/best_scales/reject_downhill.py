# finds: one-valley
# not: no-clipping, wrong-bits
import torch


def on_grid(w, scale, bits):
    top = 2 ** (bits - 1) - 1
    return scale * torch.round(w / scale).clamp(-top, top)


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    out = []
    for c in w:
        m = c.abs().max().item()
        if m == 0:
            out.append(1.0)
            continue
        e = lambda f: (c - on_grid(c, f * m / top, bits)).square().sum().item()
        a, b = 0.01, 1.0
        for _ in range(40):
            x, y = a + (b - a) / 3, b - (b - a) / 3
            if e(x) < e(y):
                b = y
            else:
                a = x
        out.append(a * m / top)
    return torch.tensor(out)
