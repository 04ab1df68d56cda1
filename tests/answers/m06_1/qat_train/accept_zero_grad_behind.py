# Clears gradients behind the step, switches the observers on explicitly, and measures nothing in between.
import torch
from torch import nn

from common.pt2e import (
    enable_fake_quant,
    enable_observer,
    move_exported_model_to_eval,
    move_exported_model_to_train,
)


def qat_train(prepared, batches, epochs, lr):
    prepared.apply(enable_observer).apply(enable_fake_quant)
    move_exported_model_to_train(prepared)
    criterion = nn.MSELoss()
    optimizer = torch.optim.SGD(params=prepared.parameters(), lr=lr)
    means = torch.zeros(epochs)
    for epoch in range(epochs):
        for data, target in batches:
            loss = criterion(prepared(data), target)
            loss.backward()
            optimizer.step()
            prepared.zero_grad(set_to_none=True)
            means[epoch] += loss.item() / len(batches)
    move_exported_model_to_eval(prepared)
    return means.tolist()
