# Groups of outputs.
# finds: along-outputs
import torch


def group_quantize(w, group):
    q, scales = [], []
    for part in w.split(group, dim=0):
        s = (part.abs().amax(0) / 7).clamp(min=2**-12)
        q.append(torch.round(part / s))
        scales.append(s)
    return torch.cat(q, 0), torch.stack(scales, 0)
