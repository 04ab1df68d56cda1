# finds: float64
# not: cuts-off
import torch


def scale_by(acc, m, shift):
    return torch.tensor([round(a * m / 2**shift) for a in acc.flatten().tolist()], dtype=torch.int32).reshape(acc.shape)
