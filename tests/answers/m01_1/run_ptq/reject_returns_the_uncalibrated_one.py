# Calibrates and converts a copy, and returns the other prepared graph.
# finds: copy-calibrated
# not: learned-something-else
import copy

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    calibrated = copy.deepcopy(prepared)
    for batch in batches:
        calibrated(*batch)
    quantized = convert_pt2e(calibrated)
    return exported, prepared, quantized
