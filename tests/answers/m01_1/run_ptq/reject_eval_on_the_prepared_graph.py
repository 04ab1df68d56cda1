# Calls eval() on a graph.
# finds: eval-on-a-graph
# not: raised
import copy

from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e


def run_ptq(model, example, batches):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_pt2e(copy.deepcopy(exported), get_xnnpack_quantizer()[0])
    prepared.eval()
    for batch in batches:
        prepared(*batch)
    quantized = convert_pt2e(copy.deepcopy(prepared))
    return exported, prepared, quantized
