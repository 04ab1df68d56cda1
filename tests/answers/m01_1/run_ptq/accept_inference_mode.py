# The mode is put back; calibration under inference_mode.
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


@torch.inference_mode()
def calibrate(gm, batches):
    for (x,) in batches:
        gm(x)


def run_ptq(model, example, batches):
    was = [(m, m.training) for m in model.modules()]
    model.eval()
    exported = export_module(model, example)
    for module, training in was:
        module.training = training
    quantizer, _ = get_xnnpack_quantizer(is_per_channel=True)
    prepared = prepare_pt2e(copy.deepcopy(exported), quantizer)
    calibrate(prepared, batches)
    return [exported, prepared, convert_pt2e(copy.deepcopy(prepared))]
