# finds: shortcut
import copy

import torch

from common.pt2e import export_module


def export_dynamic(model, example):
    return export_module(copy.deepcopy(model).eval(), tuple(torch.cat([x, x]) for x in example))
