# finds: one-is-a-constant
# not: static-batch, one-input-only
import copy

import torch


def export_dynamic(model, example):
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes).module()
