# finds: switched-off
import copy

from common.pt2e import (
    disable_fake_quant,
    export_module,
    get_xnnpack_quantizer,
    move_exported_model_to_train,
    prepare_qat_pt2e,
)


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model), example)
    prepared = prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=True)[0])
    prepared.apply(disable_fake_quant)  # first learn the ranges
    return move_exported_model_to_train(prepared)
