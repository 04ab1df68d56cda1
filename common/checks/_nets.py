"""Nets and data that several exercises share; called by probes and judges alike."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import fx


def exported(model: str, seed: int) -> "fx.GraphModule":
    """Return a net of `common.models` as an exported graph; the same seed gives the same weights."""
    from common.models import example_inputs, get_model
    from common.pt2e import export_module

    return export_module(get_model(model, seed=seed).eval(), example_inputs())


def batches(seed: int, n: int = 4) -> "Iterator[tuple[torch.Tensor]]":
    """Yield n calibration batches ``(x,)`` with x of shape (4, 3, 16, 16)."""
    from common.data import random_batches

    return random_batches(4 * n, batch_size=4, seed=seed)
