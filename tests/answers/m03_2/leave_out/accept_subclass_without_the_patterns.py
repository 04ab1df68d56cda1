# A subclass whose list does not hold the patterns of this type.
from torch import nn

from common.pt2e import XNNPACKQuantizer


def leave_out(quantizer, module_type):
    name = {nn.Conv2d: "conv2d", nn.Linear: "linear"}[module_type]

    class Q(XNNPACKQuantizer):
        STATIC_OPS = [op for op in XNNPACKQuantizer.STATIC_OPS if not op.startswith(name.removesuffix("2d"))]

    return Q().set_global(quantizer.global_config)
