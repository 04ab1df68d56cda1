"""A quantized layer in integers: the accumulator, a multiplier without a point, and the way back to int8.

What is known before the net runs (`bias_in_steps`, `as_fixed_point`) may use floats. What runs with the data
(`int32_sums`, `rescale`, `to_int8`) holds integers only.
"""

import math
from typing import Any

import torch


def bias_in_steps(bias: torch.Tensor, s_x: float, s_w: Any) -> torch.Tensor:
    """Return a bias as an int32 number of steps of the accumulator, which are s_x · s_w."""
    return torch.round(bias.double() / (s_x * torch.as_tensor(s_w).double())).to(torch.int32)


def as_fixed_point(multiplier: float) -> tuple[int, int]:
    """Return (m, shift) with multiplier ≈ m / 2**shift and 2**30 <= m < 2**31."""
    fraction, exponent = math.frexp(multiplier)
    m = round(fraction * 2**31)
    return (m // 2, 30 - exponent) if m == 2**31 else (m, 31 - exponent)


def int32_sums(x: torch.Tensor, z_x: int, w: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    """Return the int32 sums of (x - z_x) · w, with a bias that is in steps of the accumulator."""
    return (x.to(torch.int32) - z_x) @ w.to(torch.int32).T + bias


def rescale(values: torch.Tensor, m: int, shift: int) -> torch.Tensor:
    """Return values · m / 2**shift, rounded, in int32."""
    return ((values.to(torch.int64) * m + (1 << (shift - 1))) >> shift).to(torch.int32)


def to_int8(values: torch.Tensor, zero_point: int, lowest: int = -128) -> torch.Tensor:
    """Add the zero point, clamp to lowest…127, and cast. With a relu in the unit, `lowest` is the zero point."""
    return (values + zero_point).clamp(lowest, 127).to(torch.int8)
