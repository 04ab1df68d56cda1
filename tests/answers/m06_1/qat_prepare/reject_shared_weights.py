# finds: shared-weights
# not: caller-mode
from common.pt2e import export_module, get_xnnpack_quantizer, move_exported_model_to_train, prepare_qat_pt2e


def qat_prepare(model, example):
    prepared = prepare_qat_pt2e(export_module(model, example), get_xnnpack_quantizer(is_qat=True)[0])
    return move_exported_model_to_train(prepared)
