# Writes into the weight.
# finds: changes-input
import torch


def group_quantize(w, group):
    scales = []
    for start in range(0, w.shape[1], group):
        part = w[:, start : start + group]
        s = (part.abs().amax(1) / 7).clamp(min=2**-12)
        part.div_(s[:, None]).round_()
        scales.append(s)
    return w, torch.stack(scales, 1)
