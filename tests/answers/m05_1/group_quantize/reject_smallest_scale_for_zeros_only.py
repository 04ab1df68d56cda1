# finds: no-smallest-scale
import torch


def group_quantize(w, group):
    s = torch.stack([c.abs().amax(1) / 7 for c in w.split(group, 1)], 1)
    s = torch.where(s == 0, torch.full_like(s, 2**-12), s)
    wide = s.repeat_interleave(group, 1)[:, : w.shape[1]]
    return torch.round(w / wide), s
