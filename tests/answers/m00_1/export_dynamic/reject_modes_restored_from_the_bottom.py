# finds: one-module
# not: caller-mode
import torch


def free(*examples):
    return tuple({0: torch.export.Dim.AUTO} for _ in examples)


def export_dynamic(model, example):
    was = {n: m.training for n, m in model.named_modules()}
    model.eval()
    ex = tuple(torch.cat([x, x]) for x in example)
    gm = torch.export.export(model, ex, dynamic_shapes=free(*ex)).module()
    for n, m in reversed(list(model.named_modules())):
        m.train(was[n])
    return gm
