# Copies are taken before each step instead of for it, and a copy is measured.
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    model = copy.deepcopy(model).eval()
    gm = export_module(model, example)
    kept = copy.deepcopy(gm)
    prepared = prepare_pt2e(gm, get_xnnpack_quantizer()[0])
    with torch.no_grad():
        copy.deepcopy(prepared)(*example)
        for i, batch in enumerate(batches):
            prepared(*batch)
        prepared_too = copy.deepcopy(prepared)
        quantized = convert_pt2e(prepared)
        quantized(*example)
        prepared_too.graph.lint()
    return kept, prepared_too, quantized
