# finds: shortcut
import torch


def requantize(acc, s_in, s_w, s_out, zp):
    return torch.quantize_per_tensor(acc * s_in * s_w, s_out, zp, torch.qint8).int_repr()
