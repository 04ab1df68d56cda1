# finds: one-input-only
# not: static-batch
import copy

import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    return torch.export.export(
        copy.deepcopy(model).eval(), example, dynamic_shapes=({0: torch.export.Dim.AUTO},)
    ).module()
