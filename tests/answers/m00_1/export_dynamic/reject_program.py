# finds: program
# not: not-exported, lifted
import copy

import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes)
