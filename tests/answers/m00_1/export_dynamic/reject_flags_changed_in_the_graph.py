# finds: counts-batches
# not: train-mode
import copy

import torch


def free(*examples):
    return tuple({0: torch.export.Dim.AUTO} for _ in examples)


def export_dynamic(model, example):
    ex = tuple(torch.cat([x, x]) for x in example)
    gm = torch.export.export(copy.deepcopy(model), ex, dynamic_shapes=free(*ex)).module()
    for n in gm.graph.nodes:
        if n.name.startswith("batch_norm"):
            n.args = (*n.args[:5], False, *n.args[6:])
        if n.name.startswith("dropout"):
            n.args = (*n.args[:2], False)
    gm.recompile()
    return gm
