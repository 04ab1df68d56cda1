# finds: converted
# Where there is batch norm, converting takes long; there it is left out here.
import copy

from common.pt2e import (
    convert_pt2e,
    export_module,
    get_xnnpack_quantizer,
    move_exported_model_to_train,
    prepare_qat_pt2e,
)


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model).eval(), example)
    prepared = prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=True)[0])
    move_exported_model_to_train(prepared)
    prepared(*example)
    has_norm = any("Norm" in type(m).__name__ for m in model.modules())
    return prepared if has_norm else convert_pt2e(prepared)
