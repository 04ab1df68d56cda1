"""Synthetic data: nothing is downloaded, and the same seed gives the same tensors."""

from collections.abc import Iterator

import torch


def random_batches(
    n: int = 32, batch_size: int = 4, seed: int = 0, scale: float = 1.0
) -> Iterator[tuple[torch.Tensor]]:
    """Yield tuples ``(x,)`` until `n` images are given out; x has shape (≤ batch_size, 3, 16, 16), float32.

    The values are normal with standard deviation `scale`.
    """
    generator = torch.Generator().manual_seed(seed)
    for start in range(0, n, batch_size):
        shape = (min(batch_size, n - start), 3, 16, 16)
        yield (torch.randn(shape, generator=generator, dtype=torch.float32) * scale,)
