# finds: norm-with-the-scales
import torch

from common.pt2e import disable_observer, enable_observer


def set_norm(graph, training):
    for node in graph.graph.nodes:
        if node.target == torch.ops.aten.batch_norm.default:
            node.args = (*node.args[:5], training, *node.args[6:])
    graph.recompile()


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    prepared.apply(disable_observer if epoch >= scales_from else enable_observer)
    set_norm(prepared, epoch < scales_from)
