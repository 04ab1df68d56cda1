# finds: other-order
# not: prepared-in-place
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    with torch.no_grad():
        for batch in batches:
            prepared(*batch)
    return convert_pt2e(copy.deepcopy(prepared)), prepared, exported
