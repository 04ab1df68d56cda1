# The mode is set before the export: nothing has to be switched afterwards.
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, prepare_qat_pt2e


def qat_prepare(model, example):
    quantizer, _source = get_xnnpack_quantizer(is_qat=True)
    return prepare_qat_pt2e(export_module(copy.deepcopy(model).train(), example), quantizer)
