# finds: one-input-only
# not: static-batch, one-is-a-constant
import copy

import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    shapes = ({0: torch.export.Dim.AUTO}, *(None for _ in example[1:]))
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes).module()
