import copy
import inspect

import torch


def export_dynamic(model, example):
    names = list(inspect.signature(model.forward).parameters)
    shapes = {name: {0: torch.export.Dim.AUTO} for name in names}
    example = tuple(torch.zeros(4, *x.shape[1:]) for x in example)
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes).module()
