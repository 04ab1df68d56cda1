# Groups that are as equal as possible.
# finds: evenly
import torch


def group_quantize(w, group):
    n = -(-w.shape[1] // group)
    q, scales = [], []
    for part in w.tensor_split(n, dim=1):
        s = (part.abs().amax(1) / 7).clamp(min=2**-12)
        q.append(torch.round(part / s[:, None]))
        scales.append(s)
    return torch.cat(q, 1), torch.stack(scales, 1)
