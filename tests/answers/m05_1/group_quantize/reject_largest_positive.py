# The largest value, without abs.
# finds: one-side
import torch


def group_quantize(w, group):
    q, scales = [], []
    for start in range(0, w.shape[1], group):
        part = w[:, start : start + group]
        s = (part.amax(1) / 7).clamp(min=2**-12)
        q.append(torch.round(part / s[:, None]).clamp(-7, 7))
        scales.append(s)
    return torch.cat(q, 1).to(torch.int8), torch.stack(scales, 1)
