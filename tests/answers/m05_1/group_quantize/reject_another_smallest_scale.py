# A smallest scale of its own.
# finds: no-smallest-scale
import torch


def group_quantize(w, group):
    q, scales = [], []
    for start in range(0, w.shape[1], group):
        part = w[:, start : start + group]
        s = (part.abs().amax(1) / 7).clamp(min=1e-8)
        q.append(torch.round(part / s[:, None]))
        scales.append(s)
    return torch.cat(q, 1).to(torch.int8), torch.stack(scales, 1)
