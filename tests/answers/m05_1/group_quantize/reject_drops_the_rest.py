# As many groups as fit.
# finds: drops-last
import torch


def group_quantize(w, group):
    n = w.shape[1] // group
    parts = w[:, : n * group].reshape(w.shape[0], n, group)
    scales = (parts.abs().amax(2) / 7).clamp(min=2**-12)
    return torch.round(parts / scales[:, :, None]).flatten(1).to(torch.int8), scales
