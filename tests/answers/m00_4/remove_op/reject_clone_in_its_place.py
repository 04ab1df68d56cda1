# finds: still-read, not-erased
import torch


def remove_op(gm, node):
    node.target = torch.ops.aten.clone.default
    node.args = (node.args[0],)
    node.kwargs = {}
    gm.graph.eliminate_dead_code()
    gm.recompile()
