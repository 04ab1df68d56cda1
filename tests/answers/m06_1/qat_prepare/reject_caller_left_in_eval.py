# finds: caller-mode
import copy

from common.pt2e import export_module, get_xnnpack_quantizer, move_exported_model_to_train, prepare_qat_pt2e


def qat_prepare(model, example):
    graph = copy.deepcopy(export_module(model.eval(), example))
    graph = prepare_qat_pt2e(graph, get_xnnpack_quantizer(is_qat=True)[0])
    return move_exported_model_to_train(graph)
