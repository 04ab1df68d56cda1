# finds: cuts-off
import torch


def scale_by(acc, m, shift):
    return torch.div(acc.to(torch.int64) * m, 2**shift, rounding_mode="trunc").to(torch.int32)
