"""Synthetic data and the training of the small net: nothing is downloaded, and a seed fixes every bit.

A picture of the four-class problem holds stripes in one of four orientations, with a random phase and wave length,
weak colours, and much noise.
"""

import math
from collections.abc import Iterator
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from common.models import get_model

CLASSES = ("horizontal", "vertical", "rising", "falling")
NOISE = 3.5
"""Standard deviation of the noise; chosen so that the small net is right in about nine of ten cases: there is something to lose."""

WEIGHTS = Path(__file__).parent / "weights" / "tiny.safetensors"
SIZE = 16


def stripes(n: int, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return n pictures, float32 of shape (n, 3, 16, 16), and their classes, int64 of shape (n,).

    The classes come in turn (0, 1, 2, 3, 0, …), so that every batch of four holds each of them.
    """
    generator = torch.Generator().manual_seed(seed)
    labels = torch.arange(n) % len(CLASSES)
    angle = torch.tensor([math.pi / 2, 0.0, math.pi / 4, -math.pi / 4])[labels].reshape(n, 1, 1)
    rows, columns = torch.meshgrid(torch.arange(SIZE), torch.arange(SIZE), indexing="ij")
    along = columns * torch.cos(angle) + rows * torch.sin(angle)
    wave_length = 4 + 3 * torch.rand(n, 1, 1, generator=generator)
    phase = 2 * math.pi * torch.rand(n, 1, 1, generator=generator)
    wave = torch.sin(2 * math.pi * along / wave_length + phase)
    colour = 0.6 + 0.4 * torch.rand(n, 3, 1, 1, generator=generator)
    noise = NOISE * torch.randn(n, 3, SIZE, SIZE, generator=generator)
    return colour * wave.unsqueeze(1) + noise, labels


def random_batches(
    n: int = 32, batch_size: int = 4, seed: int = 0, scale: float = 1.0
) -> Iterator[tuple[torch.Tensor]]:
    """Yield tuples ``(x,)`` until `n` images are given out; x has shape (≤ batch_size, 3, 16, 16), float32.

    The values are normal with standard deviation `scale`.
    """
    generator = torch.Generator().manual_seed(seed)
    for start in range(0, n, batch_size):
        shape = (min(batch_size, n - start), 3, SIZE, SIZE)
        yield (torch.randn(shape, generator=generator, dtype=torch.float32) * scale,)


def calibration_batches(n: int = 256, batch_size: int = 32, seed: int = 100) -> Iterator[tuple[torch.Tensor]]:
    """Yield tuples ``(x,)`` of stripes without labels, n pictures in all: what an observer is shown."""
    pictures, _labels = stripes(n, seed)
    for x in pictures.split(batch_size):
        yield (x,)


def make_loader(
    n: int, seed: int = 0, batch_size: int = 64, shuffle: bool = True
) -> DataLoader[tuple[torch.Tensor, ...]]:
    """Return a DataLoader over n pictures with labels; the order of a shuffled one depends on `seed` only."""
    generator = torch.Generator().manual_seed(seed)
    return DataLoader(TensorDataset(*stripes(n, seed)), batch_size=batch_size, shuffle=shuffle, generator=generator)


def train(
    model: nn.Module, loader: DataLoader[tuple[torch.Tensor, ...]], epochs: int = 6, lr: float = 0.05
) -> list[float]:
    """Train in place with SGD (momentum 0.9, cosine schedule) and cross-entropy; return the mean loss of each epoch."""
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, weight_decay=1e-4)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=epochs)
    losses = []
    for _epoch in range(epochs):
        total, count = 0.0, 0
        for x, label in loader:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), label)
            loss.backward()
            optimizer.step()
            total, count = total + loss.item() * len(x), count + len(x)
        schedule.step()
        losses.append(total / count)
    return losses


def evaluate(model: nn.Module, loader: DataLoader[tuple[torch.Tensor, ...]]) -> float:
    """Return the share of pictures that the model puts into the right class, 0 to 1.

    The model is run as it is: an observer in it learns from the pictures too, so hand over a copy of a prepared graph.
    """
    right = total = 0
    with torch.no_grad():
        for x, label in loader:
            right += int((model(x).argmax(dim=1) == label).sum())
            total += len(x)
    return right / total


def train_tiny_net() -> nn.Module:
    """Train TinyConvNet from scratch, as the shipped weights were: one thread and fixed seeds give the same bits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        model = get_model("tiny", seed=0)
        train(model, make_loader(2048, seed=0))
    finally:
        torch.set_num_threads(threads)
    return model.eval()


def trained_tiny_net() -> nn.Module:
    """Return TinyConvNet in eval mode with the shipped weights. Make them again with ``python -m common.data``."""
    from safetensors.torch import load_file

    model = get_model("tiny", seed=0)
    model.load_state_dict(load_file(WEIGHTS))
    return model.eval()


def main() -> None:
    """Train the net and write the shipped weights."""
    from safetensors.torch import save_file

    model = train_tiny_net()
    WEIGHTS.parent.mkdir(exist_ok=True)
    save_file(model.state_dict(), WEIGHTS)
    accuracy = evaluate(model, make_loader(512, seed=7, shuffle=False))
    print(f"{WEIGHTS.name}: {WEIGHTS.stat().st_size} bytes, accuracy {accuracy:.4f} on 512 unseen pictures")


if __name__ == "__main__":
    main()
