# For each channel the widths that are enough for it; then the smallest that all of them share.
import torch
from common.graph_utils import sqnr


def bits_for(w, target):
    shared = set(range(2, 17))
    for row in w:
        amax = float(row.abs().max())
        if amax > 0:
            fine = set()
            for bits in range(2, 17):
                top = 2 ** (bits - 1) - 1
                back = torch.fake_quantize_per_tensor_affine(row, amax / top, 0, -top, top)
                if sqnr(row, back) >= target:
                    fine.add(bits)
            shared &= fine
    return min(shared)
