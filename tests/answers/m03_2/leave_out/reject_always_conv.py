# finds: fixed-type
from torch import nn


def leave_out(quantizer, module_type):
    return quantizer.set_module_type(nn.Conv2d, None)
