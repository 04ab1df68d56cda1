# A deep copy of a graph accepts train(), and does nothing.
# finds: eval-mode
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, prepare_qat_pt2e


def qat_prepare(model, example):
    exported = export_module(copy.deepcopy(model).eval(), example)
    graph = copy.deepcopy(exported).train()
    return prepare_qat_pt2e(graph, get_xnnpack_quantizer(is_qat=True)[0])
