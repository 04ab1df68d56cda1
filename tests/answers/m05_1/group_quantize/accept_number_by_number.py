# Plain Python, in float64.
import math

import torch


def group_quantize(w, group):
    rows, columns = w.shape
    n = math.ceil(columns / group)
    q = torch.zeros(rows, columns, dtype=torch.int8)
    scales = torch.empty(rows, n, dtype=torch.float64)
    for r in range(rows):
        row = w[r].tolist()
        for g in range(n):
            part = row[g * group : (g + 1) * group]
            scales[r, g] = max(max(abs(v) for v in part) / 7, 2**-12)
            for i, v in enumerate(part):
                q[r, g * group + i] = round(v / scales[r, g].item())
    return q, scales
