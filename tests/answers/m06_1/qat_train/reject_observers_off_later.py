# Freezes when the first epoch is over.
# finds: observers-off
# not: raised
import torch

from common.pt2e import disable_observer, move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    losses = []
    for epoch in range(epochs):
        if epoch == 1:
            prepared.apply(disable_observer)
        total = 0.0
        for x, y in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(prepared(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item()
        losses.append(total / len(batches))
    move_exported_model_to_eval(prepared)
    return losses
