# In float32, as torchao computes; both come back as tensors.
import torch


def qparams(lo, hi, quant_min, quant_max, scheme, eps):
    low = torch.clamp(torch.tensor([lo]), max=0.0)
    high = torch.clamp(torch.tensor([hi]), min=0.0)
    smallest = torch.tensor([eps])
    if scheme == "symmetric":
        scale = torch.maximum(-low, high) / (float(quant_max - quant_min) / 2)
        return torch.maximum(scale, smallest), torch.zeros(1, dtype=torch.int64)
    scale = torch.maximum((high - low) / float(quant_max - quant_min), smallest)
    zero_point = quant_min - torch.round(low / scale).to(torch.int)
    return scale, torch.clamp(zero_point, quant_min, quant_max)
