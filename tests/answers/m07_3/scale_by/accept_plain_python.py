import torch


def scale_by(acc, m, shift):
    half = 2 ** (shift - 1)
    return torch.tensor([(a * m + half) // 2**shift for a in acc.tolist()], dtype=torch.int32)
