import torch


def best_scales(w, bits):
    # alternate: round with the scale, then least squares for the scale (k-means like), from several starts
    top = 2 ** (bits - 1) - 1
    res = []
    for c in w.flatten(1).double():
        m = c.abs().max()
        if m == 0:
            res.append(1e-8)
            continue
        best, be = None, None
        for f in (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0):
            s = m * f / top
            for _ in range(30):
                q = (c / s).round().clamp(-top, top)
                if not q.any():
                    break
                s = (c @ q) / (q @ q)
            e = (c - s * (c / s).round().clamp(-top, top)).square().sum()
            if be is None or e < be:
                best, be = s, e
        res.append(float(best))
    return torch.tensor(res)
