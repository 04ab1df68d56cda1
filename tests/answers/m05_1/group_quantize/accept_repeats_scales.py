# One scale for each weight first; the integers stay floats.
import torch


def group_quantize(w, group):
    parts = w.split(group, dim=1)
    scales = torch.stack([torch.maximum(p.amax(1), -p.amin(1)) for p in parts], dim=-1).div(7).clamp_min(1 / 4096)
    wide = scales.repeat_interleave(group, dim=1)[:, : w.shape[1]]
    return (w / wide).round().clamp(-7, 7), scales
