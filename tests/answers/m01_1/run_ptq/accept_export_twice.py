# No deep copy of a graph: export, prepare and calibrate again for each stage. Gradients are left on.
import copy

import torch

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


from torchao.testing.pt2e._xnnpack_quantizer import XNNPACKQuantizer, get_symmetric_quantization_config


def run_ptq(model, example, batches):
    batches = list(batches)
    model = copy.deepcopy(model)
    model.eval()
    dims = ({0: torch.export.Dim("batch", min=2)},)
    graphs = [torch.export.export(model, example, dynamic_shapes=dims).module() for _ in range(3)]
    exported, one, two = graphs
    quantizer = XNNPACKQuantizer().set_global(get_symmetric_quantization_config(is_per_channel=True))
    prepared = prepare_pt2e(one, quantizer)
    again = prepare_pt2e(two, quantizer)
    for gm in (prepared, again):
        for batch in batches:
            gm(*batch)
    quantized = convert_pt2e(again)
    return exported, prepared, quantized
