# Another NotImplementedError than that of train() on a graph.
# finds: raised
# not: train-on-a-graph
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, prepare_qat_pt2e


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model), example)
    prepared = prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=True)[0])
    raise NotImplementedError("train() comes tomorrow")
    return prepared
