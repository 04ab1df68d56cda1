"""The facts that lesson m05_1 shows, on the machine that runs the tests."""

import copy
import math

import pytest
import torch
from torch import nn

from common.checks.m05_1 import _weights as wt
from common.checks.m05_1.best_scales import search
from common.checks.m05_1.dead_channels import dead
from common.data import stripes, trained_tiny_net
from common.env import quiet
from common.exercise import Case
from common.graph_utils import sqnr
from common.models import get_model
from common.pt2e import convert_pt2e, export_module, get_xnnpack_quantizer, prepare_pt2e

quiet()


def _on_grid(w: torch.Tensor, axis: int | None, bits: int) -> torch.Tensor:
    return wt.on_grid(w, wt.largest(w, axis) / wt.highest(bits), wt.highest(bits)).float()


def _random(seed: int) -> torch.Tensor:
    return torch.randn(16, 16, 3, 3, generator=torch.Generator().manual_seed(seed))


def _quantized(net: nn.Module, bits: int, axis: int | None, names: tuple[str, ...] | None = None) -> nn.Module:
    copied = copy.deepcopy(net)
    with torch.no_grad():
        for name, weight in copied.named_parameters():
            if weight.dim() > 1 and (names is None or name in names):
                weight.copy_(_on_grid(weight, axis, bits))
    return copied


def _twin(net: nn.Module, factors: torch.Tensor) -> nn.Module:
    twin = copy.deepcopy(net)
    with torch.no_grad():
        twin.get_parameter("conv_a.weight").mul_(factors.reshape(-1, 1, 1, 1))
        twin.get_parameter("conv_a.bias").mul_(factors)
        twin.get_parameter("conv_b.weight").div_(factors.reshape(1, -1, 1, 1))
    return twin


def test_a_bit_is_about_six_decibels() -> None:
    for seed in range(8):
        w = _random(seed)
        quality = [sqnr(w, _on_grid(w, None, bits)) for bits in range(5, 11)]
        assert (quality[-1] - quality[0]) / 5 == pytest.approx(6.02, abs=0.5)


def test_what_is_below_half_a_step_of_the_largest_channel_is_lost() -> None:
    assert [dead(bits) for bits in (3, 4, 5, 8)] == [5, 4, 3, 0]


@pytest.mark.parametrize("seed", range(5))
def test_per_channel_is_blind_to_powers_of_two_in_output_channels_only(seed: int) -> None:
    net = get_model("conv_relu_conv", seed=seed).eval()
    twin = _twin(net, 2.0 ** torch.tensor([-4, -3, -1, 0, 2, 3]))
    x = torch.randn(8, 3, 16, 16, generator=torch.Generator().manual_seed(seed))
    first, both = ("conv_a.weight",), None
    with torch.no_grad():
        reference = net(x)
        assert torch.equal(reference, twin(x))
        assert torch.equal(_quantized(net, 8, 0, first)(x), _quantized(twin, 8, 0, first)(x))
        lost = [sqnr(reference, _quantized(n, 8, None, first)(x)) for n in (net, twin)]
        assert lost[0] - lost[1] > 20
        lost = [sqnr(reference, _quantized(n, 8, 0, both)(x)) for n in (net, twin)]
        assert lost[0] - lost[1] > 10


@pytest.mark.parametrize("seed", range(2))
def test_prepare_suffers_from_the_twin_and_equalizing_mends_it(seed: int) -> None:
    net = get_model("conv_relu_conv", seed=seed).eval()
    twin = _twin(net, 2.0 ** torch.tensor([-4, -3, -1, 0, 2, 3]))
    x = torch.randn(8, 3, 16, 16, generator=torch.Generator().manual_seed(seed))
    out = wt.largest(twin.get_parameter("conv_a.weight"), 0).flatten()
    read = wt.largest(twin.get_parameter("conv_b.weight"), 1).flatten()
    mended = _twin(twin, 2.0 ** torch.round(torch.log2((read / out).sqrt())))
    quality = []
    with torch.no_grad():
        assert torch.equal(mended(x), net(x))
        for model in (net, twin, mended):
            prepared = prepare_pt2e(export_module(model, (x,)), get_xnnpack_quantizer()[0])
            prepared(x)
            quality.append(sqnr(net(x), convert_pt2e(prepared)(x)))
    assert quality[1] < 20 and min(quality[0], quality[2]) > 30


def test_per_channel_gains_little_where_the_channels_are_equal() -> None:
    x = stripes(64, seed=9)[0]
    gains = []
    with torch.no_grad():
        for seed in range(12):
            net = get_model("conv_chain", seed=seed).eval()
            quality = [sqnr(net(x), _quantized(net, 4, axis)(x)) for axis in (0, None)]
            gains.append(quality[0] - quality[1])
    assert min(gains) < 0 < sum(gains) and max(gains) < 5


def test_groups_are_worth_their_storage_with_outliers_only() -> None:
    def quality(w: torch.Tensor, size: int, bits: int) -> float:
        scales = w.reshape(64, -1, size).abs().amax(2) / wt.highest(bits)
        return sqnr(w, wt.on_grid(w, scales.repeat_interleave(size, 1), wt.highest(bits)))

    for seed in range(5):
        w = torch.randn(64, 256, generator=torch.Generator().manual_seed(seed))
        assert quality(w, 256, 5) - quality(w, 16, 4) > 2
        w[:, [10, 77, 130]] *= 10
        assert quality(w, 16, 4) - quality(w, 256, 5) > 2


def test_the_op_for_groups_is_this_arithmetic_and_wants_full_groups() -> None:
    ops = torch.ops.quantized_decomposed
    w = torch.randn(4, 12, generator=torch.Generator().manual_seed(0))
    scales = w.reshape(4, 3, 4).abs().amax(2) / 7
    zeros = torch.zeros_like(scales, dtype=torch.int32)
    q = ops.quantize_per_channel_group(w, scales, zeros, -8, 7, torch.int8, 4)
    assert torch.equal(q, torch.round(w / scales.repeat_interleave(4, 1)).to(torch.int8))
    with pytest.raises(AssertionError, match="divisible"):
        ops.quantize_per_channel_group(w[:, :10], scales, zeros, -8, 7, torch.int8, 4)


def test_more_bits_can_be_worse() -> None:
    w = torch.randint(-7, 8, (8, 64), generator=torch.Generator().manual_seed(0)).float()
    w[:, 0] = 7
    quality = {bits: sqnr(w, _on_grid(0.03 * w, 0, bits) / 0.03) for bits in (4, 5, 7)}
    assert quality[4] > 80 and quality[7] > 80 and quality[5] < 40


def test_with_few_bits_it_pays_to_clip_and_with_eight_it_does_not() -> None:
    for bits, low, high in ((2, 4, 7), (3, 2, 4), (4, 0.7, 2), (8, 0, 0.2)):
        for seed in range(5):
            rows = torch.randn(16, 288, generator=torch.Generator().manual_seed(seed)).double()
            _scales, error = search(rows, wt.highest(bits))
            whole = (rows - wt.on_grid(rows, wt.largest(rows) / wt.highest(bits), wt.highest(bits))).square().sum()
            assert low <= 10 * math.log10(whole / error.sum()) <= high


def test_better_weights_need_not_make_a_better_net() -> None:
    net = trained_tiny_net()
    plain, better = copy.deepcopy(net), copy.deepcopy(net)
    with torch.no_grad():
        for w, a, b in zip(net.parameters(), plain.parameters(), better.parameters(), strict=True):
            if w.dim() > 1:
                a.copy_(_on_grid(w, 0, 4))
                scales = search(w.flatten(1).double(), 7)[0].reshape(-1, *[1] * (w.dim() - 1))
                b.copy_(wt.on_grid(w, scales, 7))
                assert sqnr(w, b) > sqnr(w, a)
        for seed in (9, 20):
            x = stripes(128, seed)[0]
            assert sqnr(net(x), plain(x)) - sqnr(net(x), better(x)) > 2


def test_accuracy_does_not_see_what_the_decibels_see() -> None:
    net = trained_tiny_net()
    change, quality = [], {}
    with torch.no_grad():
        for axis in (None, 0):
            lossy = _quantized(net, 4, axis)
            for seed in range(20, 26):
                x, labels = stripes(256, seed)
                right = [int((n(x).argmax(1) == labels).sum()) for n in (lossy, net)]
                change.append(right[0] - right[1])
                quality.setdefault(axis, []).append(sqnr(net(x), lossy(x)))
    assert min(quality[0]) - max(quality[None]) > 2
    assert min(change) < 0 < max(change)


@pytest.mark.parametrize("seed", range(3))
def test_crafted_weights_are_what_their_case_says(seed: int) -> None:
    w = wt.weight(Case(shape=[6, 4, 3], rows=1.0, outlier=3.0, zero=2, seed=seed))
    flat = w.flatten(1)
    assert w.shape == (6, 4, 3) and not flat[2].any()
    rest = torch.cat([flat[:2], flat[3:]])
    assert bool((rest.min(1).values == -rest.abs().amax(1)).all())
    two = flat[[0, 4]].abs().topk(2, 1).values
    assert bool((two[:, 0] > 2.9 * two[:, 1]).all())
