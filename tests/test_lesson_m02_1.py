"""The facts that lesson m02_1 shows, on the machine that runs the tests."""

import pytest
import torch

from common.data import random_batches
from common.env import quiet
from common.graph_utils import sqnr
from common.pt2e import MinMaxObserver, MovingAverageMinMaxObserver, PerChannelMinMaxObserver

quiet()

INT8 = {"dtype": torch.int8, "quant_min": -128, "quant_max": 127}
SYMMETRIC = {"dtype": torch.int8, "quant_min": -127, "quant_max": 127}


def _grid(lo: float, hi: float, quant_min: int, quant_max: int, scheme: torch.qscheme) -> tuple[float, int]:
    observer = MinMaxObserver(dtype=torch.int8, quant_min=quant_min, quant_max=quant_max, qscheme=scheme, eps=2**-12)
    observer(torch.tensor([lo, hi]))
    scale, zero_point = observer.calculate_qparams()
    return scale.item(), zero_point.item()


@pytest.mark.parametrize(("quant_min", "half"), [(-127, 127), (-128, 127.5), (-8, 7.5)])
def test_symmetric_divides_by_half_of_the_steps(quant_min: int, half: float) -> None:
    quant_max = 7 if quant_min == -8 else 127
    scale, zero_point = _grid(-0.5, 2.0, quant_min, quant_max, torch.per_tensor_symmetric)
    assert zero_point == 0
    assert scale == pytest.approx(2.0 / half, rel=1e-6)


def test_affine_takes_the_range_with_0_in_it() -> None:
    scale, zero_point = _grid(0.2, 3.0, -128, 127, torch.per_tensor_affine)
    assert scale == pytest.approx(3.0 / 255, rel=1e-6)
    assert zero_point == -128


def test_no_scale_is_smaller_than_eps() -> None:
    for scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
        assert _grid(0.0, 0.0, -128, 127, scheme)[0] == _grid(-1e-6, 1e-6, -128, 127, scheme)[0] == 2**-12


def test_symmetric_costs_a_bit_behind_a_relu() -> None:
    (data,) = next(random_batches(64, batch_size=64, seed=0))
    lost = []
    for x in (data, data.relu()):
        quality = []
        for scheme in (torch.per_tensor_affine, torch.per_tensor_symmetric):
            qparams = _grid(x.min().item(), x.max().item(), -128, 127, scheme)
            quality.append(sqnr(x, torch.fake_quantize_per_tensor_affine(x, *qparams, -128, 127)))
        lost.append(quality[0] - quality[1])
    assert abs(lost[0]) < 1 and 5 < lost[1] < 7


def test_the_largest_value_is_half_a_step_off_with_127_and_a_half() -> None:
    one = torch.tensor([1.0])
    for quant_min, wanted in ((-127, 0.0), (-128, 0.5)):
        scale, _zero = _grid(-1.0, 1.0, quant_min, 127, torch.per_tensor_symmetric)
        back = torch.fake_quantize_per_tensor_affine(one, scale, 0, quant_min, 127)
        assert ((one - back) / scale).item() == pytest.approx(wanted, abs=1e-3)


def test_an_observer_passes_on_what_it_gets_and_keeps_no_gradient() -> None:
    x = torch.linspace(-1, 1, 5, requires_grad=True) * 2
    observer = MinMaxObserver(**INT8)
    assert observer(x) is x and x.requires_grad
    assert not observer.min_val.requires_grad


def test_min_max_never_forgets_and_the_moving_average_does() -> None:
    minmax, moving = MinMaxObserver(**INT8), MovingAverageMinMaxObserver(averaging_constant=0.3, **INT8)
    for hi in (3.0, 9.0, 3.0, 3.0):
        for observer in (minmax, moving):
            observer(torch.tensor([-1.0, hi]))
    assert minmax.max_val.item() == 9.0
    assert 3.0 < moving.max_val.item() < 5.0


def test_ties_go_to_the_even_neighbour_before_the_zero_point_is_added() -> None:
    x = torch.tensor([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5])
    quantize = torch.ops.quantized_decomposed.quantize_per_tensor
    for zero_point in (0, 3, -7):
        q = quantize(x, 1.0, zero_point, -128, 127, torch.int8) - zero_point
        assert q.tolist() == [-2, -2, 0, 0, 2, 2]
        fake = torch.fake_quantize_per_tensor_affine(x, 1.0, zero_point, -128, 127)
        assert fake.tolist() == q.tolist()


def test_with_few_bits_it_pays_to_clip() -> None:
    (data,) = next(random_batches(64, batch_size=64, seed=0))
    x = data.flatten()[:20000]
    limits = torch.linspace(0.4, x.abs().max().item(), 40).tolist()

    def best(bits: int) -> float:
        high = 2 ** (bits - 1) - 1
        return max(limits, key=lambda m: sqnr(x, torch.fake_quantize_per_tensor_affine(x, m / high, 0, -high, high)))

    assert best(4) < best(8) <= limits[-1]
    assert best(4) < 0.9 * limits[-1]


def test_one_scale_for_all_loses_the_small_channels() -> None:
    generator = torch.Generator().manual_seed(0)
    weight = torch.randn(8, 3, 3, 3, generator=generator) * (10 ** torch.linspace(-1.5, 1.5, 8)).reshape(-1, 1, 1, 1)
    one = MinMaxObserver(qscheme=torch.per_tensor_symmetric, **SYMMETRIC)
    each = PerChannelMinMaxObserver(qscheme=torch.per_channel_symmetric, ch_axis=0, **SYMMETRIC)
    one(weight)
    each(weight)
    scales, zeros = each.calculate_qparams()
    assert tuple(scales.shape) == (8,)
    per_tensor = torch.fake_quantize_per_tensor_affine(weight, one.calculate_qparams()[0].item(), 0, -127, 127)
    per_channel = torch.fake_quantize_per_channel_affine(weight, scales, zeros.int(), 0, -127, 127)
    assert sqnr(weight[0], per_tensor[0]) == 0
    assert min(sqnr(w, v) for w, v in zip(weight, per_channel, strict=True)) > 35
