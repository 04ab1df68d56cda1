# The scales keep an axis.
# finds: shape
import torch


def group_quantize(w, group):
    rows, columns = w.shape
    padded = torch.nn.functional.pad(w, (0, -columns % group)).reshape(rows, -1, group)
    scales = (padded.abs().amax(2, keepdim=True) / 7).clamp(min=2**-12)
    return torch.round(padded / scales).reshape(rows, -1)[:, :columns].to(torch.int8), scales
