# finds: not-int32
# not: overflow
import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    acc = (x.int() - z_x) @ w.int().T
    return acc * (s_x * s_w) + bias
