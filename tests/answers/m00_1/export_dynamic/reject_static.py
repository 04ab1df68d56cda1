# finds: static-batch
# not: train-mode
import copy

import torch


def export_dynamic(model, example):
    return torch.export.export(copy.deepcopy(model).eval(), example).module()
