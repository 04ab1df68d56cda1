# Converts a copy that was made before the calibration.
# finds: calibrated-too-late
import copy

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    to_convert = copy.deepcopy(prepared)
    for batch in batches:
        prepared(*batch)
    quantized = convert_pt2e(to_convert)
    return exported, prepared, quantized
