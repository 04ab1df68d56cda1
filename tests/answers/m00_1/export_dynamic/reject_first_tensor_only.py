# finds: one-input-only
# not: raised
import copy

import torch


def export_dynamic(model, example):
    model = copy.deepcopy(model).eval()
    x = example[0]
    x = torch.cat([x, x])
    return torch.export.export(model, (x,), dynamic_shapes=({0: torch.export.Dim.AUTO},)).module()
