# Hands over a text, which is no quantizer either.
# finds: raised
# not: quantizer-and-source
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[1])
    with torch.no_grad():
        for batch in batches:
            prepared(*batch)
    quantized = convert_pt2e(copy.deepcopy(prepared))
    return exported, prepared, quantized
