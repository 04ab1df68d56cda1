# finds: eval-mode
# not: one-step-an-epoch, other-order
import torch
from torch import nn

from common.pt2e import move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    means = []
    for _epoch in range(epochs):
        losses = []
        for x, y in batches:
            optimizer.zero_grad()
            loss = nn.functional.mse_loss(prepared(x), y)
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        means.append(sum(losses) / len(losses))
        move_exported_model_to_eval(prepared)
    return means
