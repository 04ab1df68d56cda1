import copy

import torch


def export_dynamic(model, example):
    model = copy.deepcopy(model).eval()
    ex = tuple(torch.cat([x, x]) for x in example)
    shapes = tuple(dict.fromkeys(range(x.dim()), torch.export.Dim.AUTO) for x in ex)
    return torch.export.export(model, ex, dynamic_shapes=shapes).module()
