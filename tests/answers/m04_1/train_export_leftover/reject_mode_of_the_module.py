# finds: asks-the-module
# not: counter-missed
import torch

aten = torch.ops.aten
FOLDS_INTO = {aten.conv2d.default, aten.conv2d.padding, aten.conv_transpose2d.input, aten.linear.default}


def train_export_leftover(gm):
    if not any(m.training for m in gm.modules()) or True:
        return set()
