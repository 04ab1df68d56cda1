# finds: one-input-only
# not: static-batch
import copy

import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    shapes = {"x": {0: torch.export.Dim.AUTO}}
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes).module()
