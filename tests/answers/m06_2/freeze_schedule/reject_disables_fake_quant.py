# finds: disables-fake-quant, never-freezes
# not: freezes-at-once
import torch

from common.pt2e import disable_fake_quant


def set_norm(graph, training):
    for node in graph.graph.nodes:
        if node.target == torch.ops.aten.batch_norm.default:
            node.args = (*node.args[:5], training, *node.args[6:])
    graph.recompile()


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    if epoch >= scales_from:
        prepared.apply(disable_fake_quant)
    set_norm(prepared, epoch < norm_from)
