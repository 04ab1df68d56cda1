# Torch's op for one scale, used for each channel as well.
import torch
from common.graph_utils import sqnr


def per_channel_vs_tensor(w):
    def back(x, amax):
        scale = max(amax / 127, 2**-20)
        return torch.fake_quantize_per_tensor_affine(x, scale, 0, -127, 127)

    every = w.abs().max().item()
    results = {"channel": [], "tensor": []}
    for c in range(w.shape[0]):
        results["channel"].append(sqnr(w[c], back(w[c], w[c].abs().max().item())))
        results["tensor"].append(sqnr(w[c], back(w[c], every)))
    return min(results["channel"]), min(results["tensor"])
