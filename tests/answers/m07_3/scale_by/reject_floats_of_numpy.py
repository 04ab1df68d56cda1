# finds: float64
# not: float
import numpy as np
import torch


def scale_by(acc, m, shift):
    return torch.from_numpy(np.rint(acc.numpy() * (m / 2**shift)).astype(np.int32))
