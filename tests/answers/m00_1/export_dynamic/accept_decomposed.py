import copy

import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    program = torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes)
    return program.run_decompositions().module()
