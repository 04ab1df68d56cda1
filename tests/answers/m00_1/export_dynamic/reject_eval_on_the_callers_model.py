# finds: caller-mode
# not: train-mode
import torch


def export_dynamic(model, example):
    example = tuple(torch.cat([x, x]) for x in example)
    shapes = tuple({0: torch.export.Dim.AUTO} for _ in example)
    return torch.export.export(model.eval(), example, dynamic_shapes=shapes).module()
