import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    # float32 is exact for up to 512 terms
    acc = torch.zeros(x.shape[0], w.shape[0], dtype=torch.int32)
    for i in range(0, x.shape[1], 256):
        acc += ((x[:, i : i + 256].float() - z_x) @ w[:, i : i + 256].float().T).int()
    return acc + torch.round(bias / (s_x * s_w)).int()
