# Fills the last group up with zeros, and cuts them off at the end.
import torch
import torch.nn.functional as F


def group_quantize(w, group):
    rows, columns = w.shape
    padded = F.pad(w, (0, -columns % group)).reshape(rows, -1, group)
    scales = torch.clamp(padded.abs().amax(dim=2, keepdim=True) / 7, min=2**-12)
    q = torch.clamp(torch.round(padded / scales), -8, 7).reshape(rows, -1)[:, :columns]
    return q.to(torch.int32), scales.squeeze(2)
