# finds: not-stepped
# not: gradients-add-up
import torch

from common.pt2e import move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    losses = []
    for _epoch in range(epochs):
        total = []
        for x, y in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(prepared(x), y)
            loss.backward()
            total.append(loss.item())
        losses.append(sum(total) / len(total))
    move_exported_model_to_eval(prepared)
    return losses
