# The weights keep their quantize nodes, mode is set by hand, a named tuple: the numbers are the same.
import copy
from collections import namedtuple

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

Stages = namedtuple("Stages", "exported prepared quantized")


def run_ptq(model, example, batches):
    was = model.training
    model.eval()
    exported = export_module(model, example)
    model.train(was)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for (x,) in batches:
            prepared(x.clone())
    return Stages(exported, prepared, convert_pt2e(copy.deepcopy(prepared), fold_quantize=False))
