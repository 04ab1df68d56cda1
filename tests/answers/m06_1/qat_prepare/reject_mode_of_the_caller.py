# finds: caller-mode
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, prepare_qat_pt2e


def qat_prepare(model, example):
    exported = export_module(model.train(), example)
    return copy.deepcopy(prepare_qat_pt2e(exported, get_xnnpack_quantizer(is_qat=True)[0]))
