# finds: no-smallest-scale
# torch divides 0 by 0 and goes on.
import torch


def qparams_from_range(lo, hi):
    lo, hi = torch.tensor(min(lo, 0.0)), torch.tensor(max(hi, 0.0))
    scale = (hi - lo) / 255
    return scale.item(), int(-128 - torch.round(lo / scale).nan_to_num())
