# finds: eval-mode
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, prepare_qat_pt2e


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model).eval(), example)
    return prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=True)[0])
