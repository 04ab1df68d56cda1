# The whole weight as one long row.
# finds: crosses-rows
# not: dequantized
import torch


def group_quantize(w, group):
    flat = w.flatten()
    flat = torch.cat([flat, flat.new_zeros(-len(flat) % group)]).reshape(-1, group)
    scales = (flat.abs().amax(1, keepdim=True) / 7).clamp(min=2**-12)
    q = torch.round(flat / scales).flatten()[: w.numel()].reshape(w.shape)
    return q.to(torch.int8), scales
