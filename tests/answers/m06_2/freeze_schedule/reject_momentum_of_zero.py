# finds: statistics-of-the-batch
# not: norm-with-the-scales, norm-left-training, only-that-epoch
import torch

from common.pt2e import disable_observer, enable_observer


def freeze_schedule(prepared, epoch, scales_from, norm_from):
    prepared.apply(disable_observer if epoch >= scales_from else enable_observer)
    for node in prepared.graph.nodes:
        if node.target == torch.ops.aten.batch_norm.default and epoch >= norm_from:
            node.update_arg(6, 0.0)
    prepared.recompile()
