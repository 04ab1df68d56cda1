# finds: caller-mode
import torch


def free(*examples):
    return tuple({0: torch.export.Dim.AUTO} for _ in examples)


def export_dynamic(model, example):
    model.eval()
    ex = tuple(torch.cat([x, x]) for x in example)
    gm = torch.export.export(model, ex, dynamic_shapes=free(*ex)).module()
    model.train()
    return gm
