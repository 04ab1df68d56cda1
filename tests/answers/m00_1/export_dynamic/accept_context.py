import contextlib

import torch


def free(*examples):
    return tuple({0: torch.export.Dim.AUTO} for _ in examples)


@contextlib.contextmanager
def inference(model):
    modes = [(m, m.training) for m in model.modules()]
    model.eval()
    try:
        yield model
    finally:
        for m, t in modes:
            m.training = t


def export_dynamic(model, example):
    with inference(model) as m, torch.no_grad():
        ex = tuple(torch.randn(3, *x.shape[1:]) for x in example)
        return torch.export.export(m, ex, dynamic_shapes=free(*ex)).module()
