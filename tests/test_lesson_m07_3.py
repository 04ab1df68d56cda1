"""The facts that lesson m07_3 shows: integers are the same on every machine. What kernels do is not asserted."""

import math

import pytest
import torch

from common.checks.m07_3._integers import wrapped
from common.env import quiet
from common.integers import as_fixed_point, bias_in_steps, int32_sums, rescale, to_int8

quiet()


def _int8(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randint(-128, 128, shape, generator=torch.Generator().manual_seed(seed), dtype=torch.int8)


def test_the_zero_point_can_go_into_the_bias() -> None:
    x, w = _int8(50, 32), _int8(8, 32, seed=1)
    bias = torch.arange(8, dtype=torch.int32)
    beforehand = bias + 37 * w.sum(dim=1, dtype=torch.int32)
    assert torch.equal(int32_sums(x, -37, w, bias), int32_sums(x, 0, w, beforehand))
    assert int32_sums(x, 0, w, bias).dtype == torch.int32


def test_narrow_types_begin_again_at_the_other_end() -> None:
    x = torch.tensor([127], dtype=torch.int8)
    assert (x - -10).item() == wrapped(torch.tensor(137), 8).item() == -119
    assert torch.tensor(2.0**24) + 1 == torch.tensor(2.0**24)


@pytest.mark.parametrize("multiplier", [0.5, 0.0037, 1e-9, 3.25, 1 - 2**-40, 0.25 - 2**-50, 700.0])
def test_a_multiplier_has_31_bits(multiplier: float) -> None:
    m, shift = as_fixed_point(multiplier)
    assert 2**30 <= m < 2**31
    assert math.isclose(m / 2**shift, multiplier, rel_tol=2**-31)


def test_rescale_rounds_to_the_nearest_and_does_not_overflow() -> None:
    values = torch.tensor([-(2**31), -12345, -3, -1, 0, 1, 3, 12345, 2**31 - 1], dtype=torch.int32)
    for multiplier in (0.9, 0.0312):
        m, shift = as_fixed_point(multiplier)
        exact = [value * m / 2**shift for value in values.tolist()]
        off = [abs(got - want) for got, want in zip(rescale(values, m, shift).tolist(), exact, strict=True)]
        assert max(off) <= 0.5


def test_a_unit_in_integers_is_within_a_step_of_its_floats() -> None:
    x, w, bias = _int8(200, 24), _int8(10, 24, seed=2), torch.linspace(-2, 2, 10)
    s_x, z_x, s_w, s_y, z_y = 0.02, -5, 0.004, 0.03, 11
    acc = int32_sums(x, z_x, w, bias_in_steps(bias, s_x, s_w))
    m, shift = as_fixed_point(s_x * s_w / s_y)
    for lowest, activation in ((-128, torch.nn.Identity()), (z_y, torch.nn.ReLU())):
        real = activation(torch.nn.functional.linear((x.double() - z_x) * s_x, w.double() * s_w, bias.double()))
        wanted = (torch.round(real / s_y) + z_y).clamp(-128, 127)
        ours = to_int8(rescale(acc, m, shift), z_y, lowest)
        assert ours.dtype == torch.int8
        assert (ours - wanted).abs().max() <= 1
