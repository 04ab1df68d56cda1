# Channel by channel, with min and a key, by SQNR.
import torch
from common.graph_utils import sqnr


def best_scales(w, bits):
    top = 2 ** (bits - 1) - 1
    found = []
    for row in w:
        amax = row.abs().max().item()
        if amax == 0:
            found.append(1.0)
            continue
        candidates = [amax * i / 100 / top for i in range(1, 101)]
        found.append(max(candidates, key=lambda s: sqnr(row, torch.fake_quantize_per_tensor_affine(row, s, 0, -top, top))))
    return torch.tensor(found)
