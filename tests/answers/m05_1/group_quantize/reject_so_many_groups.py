# The size of a group taken for their number.
# finds: number-of-groups
import torch


def group_quantize(w, group):
    q, scales = [], []
    for part in w.chunk(group, dim=1):
        s = (part.abs().amax(1) / 7).clamp(min=2**-12)
        q.append(torch.round(part / s[:, None]))
        scales.append(s)
    return torch.cat(q, 1), torch.stack(scales, 1)
