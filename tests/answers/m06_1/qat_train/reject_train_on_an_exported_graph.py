# Exports a net of its own; such a graph refuses train().
# finds: train-on-a-graph
# not: raised
from torch import nn

from common.pt2e import export_module


def qat_train(prepared, batches, epochs, lr):
    x, _y = batches[0]
    graph = export_module(nn.Linear(x.shape[1], 1), (x,))
    graph.train()
    return [0.0] * epochs
