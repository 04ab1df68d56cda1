"""Crafted weights, and what symmetric grids make of them; called by probes and judges alike."""

from typing import TYPE_CHECKING

from common.exercise.base import Case

if TYPE_CHECKING:
    import torch

SMALLEST = 2**-12
"""The smallest scale of this lesson, as in m02_1."""


def weight(case: Case) -> "torch.Tensor":
    """Return the weight that a case describes: float32, axis 0 holds the output channels.

    `values` is "normal", "uniform", "grid:7" (whole numbers up to 7, each channel times a factor of its own), or
    "grid:7,15" (whole numbers up to 7 in one channel, up to 15 in the next, and so on in turns).
    `rows` and `columns` spread the sizes of output and input channels over so many powers of ten, in a random order.
    `outlier` makes one value of every second channel so many times as large as the rest. `zero` is a channel that holds only
    zeros, `tiny` one that is 10 000 times smaller than the rest; `size` is a factor for all. The value farthest from 0 is a negative one in each channel.
    """
    import torch

    generator = torch.Generator().manual_seed(case.seed)
    kind, _colon, tops = case.get("values", "normal").partition(":")
    if kind == "grid":
        highest_of = [int(top) for top in tops.split(",")]
        w = torch.zeros(case.shape)
        for c, channel in enumerate(w.flatten(1)):
            top = highest_of[c % len(highest_of)]
            channel.copy_(torch.randint(-top, top + 1, channel.shape, generator=generator))
            channel[0] = top
    elif kind == "uniform":
        w = 2 * torch.rand(case.shape, generator=generator) - 1
    else:
        w = torch.randn(case.shape, generator=generator)
    if case.get("outlier"):
        flat = w.flatten(1)[::2]
        flat[:, 3] = case.outlier * flat.abs().amax(1)
    for axis, spread in ((0, case.get("rows", 0.0)), (1, case.get("columns", 0.0))):
        n = case.shape[axis]
        sizes = 10 ** torch.linspace(-spread / 2, spread / 2, n)[torch.randperm(n, generator=generator)]
        w = w * sizes.reshape([n if a == axis else 1 for a in range(w.dim())])
    flat = w.flatten(1)
    farthest = flat.gather(1, flat.abs().argmax(1, keepdim=True))
    flat.mul_(-torch.sign(farthest))
    if "zero" in case:
        flat[case.zero] = 0
    if "tiny" in case:
        flat[case.tiny] *= 1e-4
    flat *= case.get("size", 1.0)
    return w


def highest(bits: int) -> int:
    """The largest integer of a symmetric grid that has as many points on both sides of 0: 127 for 8 bits."""
    return 2 ** (bits - 1) - 1


def on_grid(w: "torch.Tensor", scale: "torch.Tensor", top: float) -> "torch.Tensor":
    """Return w on the grid of whole numbers from -top to top times scale, in float64; a scale of 0 gives 0."""
    import torch

    w, scale = w.double(), scale.double()
    q = torch.clamp(torch.round(w / torch.where(scale > 0, scale, 1.0)), -top, top)
    return q * scale


def decibels(w: "torch.Tensor", back: "torch.Tensor", axis: int = 0) -> "torch.Tensor":
    """Return the SQNR of each channel along an axis; no error at all is infinite, and so a channel of zeros is too."""
    import torch

    rows, others = w.double().movedim(axis, 0).flatten(1), back.double().movedim(axis, 0).flatten(1)
    signal, noise = rows.square().sum(1), (rows - others).square().sum(1)
    ratio = torch.where(noise > 0, signal / noise.clamp(min=1e-300), torch.inf)
    return 10 * torch.log10(ratio)


def largest(w: "torch.Tensor", axis: int | None = 0) -> "torch.Tensor":
    """Return the largest distance from 0 of each channel along an axis, in a shape that fits w; None: of all."""
    if axis is None:
        return w.abs().amax().reshape([1] * w.dim())
    return w.abs().amax([a for a in range(w.dim()) if a != axis], keepdim=True)
