# finds: shortcut
import torch


def scale_by(acc, m, shift):
    return torch.round(acc.double() * (m / 2**shift)).to(torch.int32)
