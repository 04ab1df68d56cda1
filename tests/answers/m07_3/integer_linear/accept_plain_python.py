import torch


def integer_linear(x, z_x, w, bias, s_x, s_w):
    scales = s_w.tolist() if isinstance(s_w, torch.Tensor) else [s_w] * len(w)
    rows = []
    for row in x.tolist():
        sums = []
        for weights, b, s in zip(w.tolist(), bias.tolist(), scales, strict=True):
            total = sum((q - z_x) * v for q, v in zip(row, weights, strict=True))
            sums.append(total + round(b / (s_x * s)))
        rows.append(sums)
    return torch.tensor(rows, dtype=torch.int32)
