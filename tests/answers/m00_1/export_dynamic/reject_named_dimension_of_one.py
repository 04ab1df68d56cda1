# finds: one-is-a-constant
# not: static-batch
import copy

import torch


def export_dynamic(model, example):
    batch = torch.export.Dim("batch")
    shapes = tuple({0: batch} for _ in example)
    return torch.export.export(copy.deepcopy(model).eval(), example, dynamic_shapes=shapes).module()
