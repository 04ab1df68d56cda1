# finds: operator-type
# not: opposite, fixed-type
import torch
from torch import nn


def leave_out(quantizer, module_type):
    op = {nn.Conv2d: torch.ops.aten.conv2d, nn.Linear: torch.ops.aten.linear}[module_type]
    return quantizer.set_operator_type(op, None)
