# No optimizer, no nn.functional; gradients are set to None. The losses are tensors.
import torch

from common.pt2e import move_exported_model_to_eval, move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    graph = move_exported_model_to_train(prepared)
    weights = list(graph.parameters())
    losses = []
    for _ in range(epochs):
        found = []
        for x, y in batches:
            loss = ((y - graph(x)) ** 2).mean()
            gradients = torch.autograd.grad(loss, weights)
            with torch.no_grad():
                for w, g in zip(weights, gradients, strict=True):
                    w -= lr * g
            found.append(loss.detach())
        losses.append(torch.stack(found).mean())
    move_exported_model_to_eval(graph)
    return losses
