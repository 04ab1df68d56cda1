# finds: plain-observers
# not: nothing-put-in
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, move_exported_model_to_train, prepare_qat_pt2e


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model), example)
    prepared = prepare_qat_pt2e(exported, get_xnnpack_quantizer()[0])
    move_exported_model_to_train(prepared)
    return prepared
