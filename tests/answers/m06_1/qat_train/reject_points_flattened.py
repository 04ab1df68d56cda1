# Another RuntimeError than that of a fake quant without scales.
# finds: raised
# not: observers-off
import torch

from common.pt2e import move_exported_model_to_train


def qat_train(prepared, batches, epochs, lr):
    move_exported_model_to_train(prepared)
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    for x, y in batches:
        loss = torch.nn.functional.mse_loss(prepared(x.reshape(2, -1)), y)
        loss.backward()
        optimizer.step()
    return []
