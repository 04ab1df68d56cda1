# finds: one-step-an-epoch
import torch
from torch import nn

from common.pt2e import move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    means = []
    for _epoch in range(epochs):
        optimizer.zero_grad()
        total = 0.0
        for x, y in batches:
            loss = nn.functional.mse_loss(prepared(x), y)
            loss.backward()
            total += loss.item()
        optimizer.step()
        means.append(total / len(batches))
    move_exported_model_to_eval(prepared)
    return means
