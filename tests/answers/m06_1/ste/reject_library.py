# finds: shortcut
import torch


def ste(x, scale, zero_point):
    return torch.fake_quantize_per_tensor_affine(x, scale, zero_point, -128, 127)
