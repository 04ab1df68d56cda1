# Runs the model in train mode first, a copy of it.
# finds: statistics-moved
# not: caller-weights
import copy

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    model = copy.deepcopy(model).train()
    batches = list(batches)
    for batch in batches:
        model(*batch)
    exported = export_module(model.eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    for batch in batches:
        prepared(*batch)
    quantized = convert_pt2e(copy.deepcopy(prepared))
    return exported, prepared, quantized
