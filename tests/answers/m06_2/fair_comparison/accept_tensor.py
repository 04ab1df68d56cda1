# Scores in two rows of a tensor; PTQ without training and float are measured too, and not returned.
import torch


def fair_comparison(tools, nets, train, test, steps):
    scores = torch.zeros(2, len(nets), dtype=torch.float64)
    for i, net in enumerate(nets):
        tools.score(net, test), tools.score(tools.ptq(net, train), test)
        tuned = tools.fine_tune(net, train, steps)
        scores[0, i] = tools.score(tools.ptq(tuned, (train[0], train[1])), test)
        scores[1, i] = tools.score(tools.qat(net, train, steps), test)
    return scores[1] - scores[0]
