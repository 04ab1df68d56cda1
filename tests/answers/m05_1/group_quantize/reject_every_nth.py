# The numbers of reshape swapped.
# finds: every-nth
import torch


def group_quantize(w, group):
    rows, columns = w.shape
    padded = torch.nn.functional.pad(w, (0, -columns % group)).reshape(rows, group, -1)
    scales = (padded.abs().amax(1, keepdim=True) / 7).clamp(min=2**-12)
    q = torch.round(padded / scales).reshape(rows, -1)[:, :columns]
    return q.to(torch.int8), scales.squeeze(1)
