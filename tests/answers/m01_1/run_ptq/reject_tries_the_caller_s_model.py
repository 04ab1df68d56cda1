# Tries the caller's model on the example.
# finds: statistics-moved, caller-weights
import copy

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    model(*example)
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    for batch in batches:
        prepared(*batch)
    quantized = convert_pt2e(copy.deepcopy(prepared))
    return exported, prepared, quantized
