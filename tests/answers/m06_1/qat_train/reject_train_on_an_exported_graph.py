# Exports the graph once more; such a graph refuses train().
# finds: train-on-a-graph
# not: raised
from common.pt2e import export_module


def qat_train(prepared, batches, epochs, lr):
    graph = export_module(prepared, (batches[0][0],))
    graph.train()
    return [0.0] * epochs
