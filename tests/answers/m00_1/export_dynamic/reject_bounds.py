# finds: bounded
# not: static-batch
import copy

import torch


def export_dynamic(model, example):
    model = copy.deepcopy(model).eval()
    b = torch.export.Dim("b", min=1, max=8)
    ex = tuple(torch.cat([x, x]) for x in example)
    return torch.export.export(model, ex, dynamic_shapes=tuple({0: b} for _ in ex)).module()
