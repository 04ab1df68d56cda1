# A deep copy does not refuse train(), and does nothing.
# finds: eval-mode
import torch


def qat_train(prepared, batches, epochs, lr):
    prepared.train()
    optimizer = torch.optim.SGD(prepared.parameters(), lr=lr)
    losses = []
    for _epoch in range(epochs):
        total = []
        for x, y in batches:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(prepared(x), y)
            loss.backward()
            optimizer.step()
            total.append(loss.item())
        losses.append(sum(total) / len(total))
    prepared.eval()
    return losses
