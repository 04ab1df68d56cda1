"""Decibels and noise: what several errors come to together, and how to share out bits. Pure Python, no torch.

Noise is a part of the signal here: 0.001 of its power are 30 dB.
"""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping

Decibels = Mapping[str, Mapping[int, float]]
"""Layer → number of bits → decibels when this layer alone is quantized with so many bits."""


def noise_of(db: float) -> float:
    """The power of the noise, as a part of the power of the signal."""
    return 10 ** (-db / 10)


def db_of(noise: float) -> float:
    """The SQNR of noise that is this part of the signal; infinite where there is none."""
    return math.inf if noise == 0 else -10 * math.log10(noise)


def together(dbs: Iterable[float]) -> float:
    """The SQNR of several noises that know nothing of each other: their powers add up."""
    return db_of(sum(noise_of(db) for db in dbs))


def spent(bits: Mapping[str, int], weights: Mapping[str, int]) -> int:
    """The bits of all the weights together: `weights` has the number of weights of each layer."""
    return sum(weights[name] * bits[name] for name in weights)


def total_noise(db: Decibels, bits: Mapping[str, int]) -> float:
    """The noise of all the layers together."""
    return sum(noise_of(db[name][bits[name]]) for name in db)


def cheapest_bits(
    db: Decibels,
    weights: Mapping[str, int],
    budget: float,
    price: Callable[[Mapping[str, int]], float] | None = None,
) -> dict[str, int]:
    """Return the width of each layer that gives the least noise within a budget of bits; {} where nothing fits.

    All combinations are tried, so this is for a few layers. `price` is what to keep small, if it is not the noise.
    """
    choices = (dict(zip(db, widths, strict=True)) for widths in itertools.product(*db.values()))
    fitting = (bits for bits in choices if spent(bits, weights) <= budget)
    return min(fitting, key=price or (lambda bits: total_noise(db, bits)), default={})
