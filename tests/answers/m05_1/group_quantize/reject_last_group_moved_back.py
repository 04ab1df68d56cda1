# The last group is moved back until it is full.
# finds: overlaps
import torch


def group_quantize(w, group):
    q, scales = torch.zeros_like(w), []
    for start in range(0, w.shape[1], group):
        start = min(start, w.shape[1] - group)
        part = w[:, start : start + group]
        s = (part.abs().amax(1) / 7).clamp(min=2**-12)
        q[:, start : start + group] = torch.round(part / s[:, None])
        scales.append(s)
    return q, torch.stack(scales, 1)
