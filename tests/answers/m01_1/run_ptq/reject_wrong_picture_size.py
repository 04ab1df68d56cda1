# finds: raised
# not: static-batch
# The same kind of exception as a static batch gives, about another dimension.
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    exported(torch.randn(2, 3, 8, 8))
    return exported, exported, exported
