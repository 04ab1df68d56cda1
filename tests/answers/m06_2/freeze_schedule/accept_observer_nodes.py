from common.graph_utils import observer_nodes
from common.pt2e import enable_observer, move_exported_model_to_eval


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    for _node, module in observer_nodes(prepared):
        module.enable_observer(epoch < scales_from)
        module.enable_fake_quant(True)
    if epoch >= norm_from:
        move_exported_model_to_eval(prepared)
    return prepared
