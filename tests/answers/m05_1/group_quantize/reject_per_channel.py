# One scale for each row.
# finds: per-channel
import torch


def group_quantize(w, group):
    scales = (w.abs().amax(1, keepdim=True) / 7).clamp(min=2**-12)
    return torch.round(w / scales).to(torch.int8), scales
