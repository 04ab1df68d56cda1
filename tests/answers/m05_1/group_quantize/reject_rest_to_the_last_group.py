# What is left over goes into the last full group.
# finds: merges-last
# not: drops-last
import torch


def group_quantize(w, group):
    n = w.shape[1] // group
    ends = [g * group for g in range(n)] + [w.shape[1]]
    q, scales = [], []
    for a, b in zip(ends, ends[1:]):
        s = (w[:, a:b].abs().amax(1) / 7).clamp(min=2**-12)
        q.append(torch.round(w[:, a:b] / s[:, None]))
        scales.append(s)
    return torch.cat(q, 1), torch.stack(scales, 1)
