# finds: measured-afterwards
import torch
from torch import nn

from common.pt2e import move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    means = []
    for _epoch in range(epochs):
        for x, y in batches:
            optimizer.zero_grad()
            nn.functional.mse_loss(prepared(x), y).backward()
            optimizer.step()
        with torch.no_grad():
            losses = [nn.functional.mse_loss(prepared(x), y).item() for x, y in batches]
        means.append(sum(losses) / len(losses))
    move_exported_model_to_eval(prepared)
    return means
