"""Quantization-aware training on a curve: data, a net of 321 numbers, quantizers with few bits, and what a net is worth.

One input, one output: the whole function that a net computes fits into one picture. Nothing here has batch norm.
"""

import copy
import math
from collections.abc import Callable
from functools import lru_cache

import torch
from torch import nn, optim

from common.graph_utils import observer_nodes
from common.pt2e import (
    FakeQuantize,
    FusedMovingAvgObsFakeQuantize,
    MovingAverageMinMaxObserver,
    QuantizationSpec,
    XNNPACKQuantizer,
    convert_pt2e,
    disable_fake_quant,
    disable_observer,
    export_module,
    prepare_qat_pt2e,
)

Pairs = tuple[torch.Tensor, torch.Tensor]

EPS = 2**-12
"""The smallest scale, as in XNNPACKQuantizer."""


class CurveNet(nn.Module):
    """1 → 16 → 16 → 1 with relu between: a function of one number, by 321 parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(1, 16)
        self.relu_a = nn.ReLU()
        self.middle = nn.Linear(16, 16)
        self.relu_b = nn.ReLU()
        self.last = nn.Linear(16, 1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.last(self.relu_b(self.middle(self.relu_a(self.first(x)))))


def true_curve(x: torch.Tensor) -> torch.Tensor:
    """The curve that the net has to learn: a wave that becomes flat on both sides."""
    return torch.sin(3 * x) * torch.exp(-0.3 * x.square())


def curve(n: int = 256, seed: int = 0, noise: float = 0.05) -> Pairs:
    """Return n points of the curve between −2 and 2 with some noise: x and y, float32 of shape (n, 1)."""
    generator = torch.Generator().manual_seed(seed)
    x = 4 * torch.rand(n, 1, generator=generator) - 2
    return x, true_curve(x) + noise * torch.randn(n, 1, generator=generator)


def curve_grid(n: int = 401) -> Pairs:
    """Return n points at equal distances from −2 to 2 and the true curve there: test data without noise."""
    x = torch.linspace(-2, 2, n).reshape(n, 1)
    return x, true_curve(x)


def curve_db(model: Callable[[torch.Tensor], torch.Tensor], data: Pairs | None = None) -> float:
    """How well a model follows the true curve, in dB: 10 · log10(Σ y² / Σ (y − model(x))²). Higher is better.

    0 dB is what the constant 0 reaches. The model is run as it is: hand over a copy with its observers off where it
    must not learn from the test.
    """
    x, y = curve_grid() if data is None else data
    with torch.no_grad():
        error = (model(x) - y).double().square().sum().item()
    signal = y.double().square().sum().item()
    return 10 * math.log10(signal / error) if error > 0 and math.isfinite(error) else -math.inf


def fit(
    model: nn.Module, data: Pairs, steps: int, lr: float, before_step: Callable[[int], object] | None = None
) -> list[float]:
    """Train in place with Adam on all points at once; return the mean squared error of each step.

    `before_step(i)` is called before step i: it may set switches or write down scales.
    """
    x, y = data
    optimizer = optim.Adam(model.parameters(), lr=lr)
    losses = []
    for i in range(steps):
        if before_step is not None:
            before_step(i)
        optimizer.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def trained_curve_net(seed: int = 0) -> CurveNet:
    """Return a CurveNet in eval mode that was trained on ``curve(seed=seed)``, in a second or less."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = CurveNet()
        fit(model, curve(seed=seed), steps=300, lr=0.01)
    return model.eval()


def qat_quantizer(weight_bits: int = 8, *, fused: bool = False) -> XNNPACKQuantizer:
    """Return XNNPACKQuantizer for training: activations int8 per tensor, weights of `weight_bits` per channel.

    Its places are those of ``get_xnnpack_quantizer()``. The module at each of them is a plain FakeQuantize, or with
    ``fused=True`` the FusedMovingAvgObsFakeQuantize that the library's own config takes.
    """
    from torchao.quantization.pt2e.observer import MovingAveragePerChannelMinMaxObserver
    from torchao.testing.pt2e._xnnpack_quantizer_utils import QuantizationConfig

    kind = FusedMovingAvgObsFakeQuantize if fused else FakeQuantize
    act_module = kind.with_args(observer=MovingAverageMinMaxObserver, eps=EPS)
    weight_module = kind.with_args(observer=MovingAveragePerChannelMinMaxObserver, eps=EPS)
    most = 2 ** (weight_bits - 1) - 1
    act = QuantizationSpec(torch.int8, act_module, -128, 127, torch.per_tensor_affine)
    weight = QuantizationSpec(torch.int8, weight_module, -most, most, torch.per_channel_symmetric, ch_axis=0)
    return XNNPACKQuantizer().set_global(QuantizationConfig(act, act, weight, None, is_qat=True))


def qat_graph(model: nn.Module, weight_bits: int = 8, *, fused: bool = False) -> torch.fx.GraphModule:
    """Return a CurveNet as a graph from `prepare_qat_pt2e`, with weights of its own; both switches are on.

    The graph is prepared once and copied: preparing takes a second or two, copying almost nothing.
    """
    prepared = copy.deepcopy(_prepared_once(weight_bits, fused))
    prepared.load_state_dict(model.state_dict(), strict=False)
    return prepared


@lru_cache(maxsize=16)
def _prepared_once(weight_bits: int, fused: bool) -> torch.fx.GraphModule:
    """The first graph is prepared; the others are copies of it with other modules at the same places."""
    quantizer = qat_quantizer(weight_bits, fused=fused)
    if (weight_bits, fused) == (8, False):
        return prepare_qat_pt2e(export_module(CurveNet().eval(), (torch.zeros(2, 1),)), quantizer)
    prepared, config = copy.deepcopy(_prepared_once(8, False)), quantizer.global_config
    assert config is not None
    for node, _module in observer_nodes(prepared):
        is_weight = isinstance(node.args[0], torch.fx.Node) and node.args[0].op == "get_attr"
        spec = config.weight if is_weight else config.input_activation
        assert spec is not None
        limits = {"quant_min": spec.quant_min, "quant_max": spec.quant_max}
        make = spec.observer_or_fake_quant_ctr.with_args(dtype=spec.dtype, qscheme=spec.qscheme, **limits)
        setattr(prepared, str(node.target), make())
    return prepared


def ptq_graph(model: nn.Module, data: Pairs, weight_bits: int = 8) -> torch.fx.GraphModule:
    """Return a CurveNet quantized after training: the places and bits of `qat_graph`, calibrated on `data`, converted."""
    prepared = qat_graph(model, weight_bits)
    prepared.apply(disable_fake_quant)
    with torch.no_grad():
        prepared(data[0])
    return convert_pt2e(prepared)


class Tools:
    """What a comparison needs, on a CurveNet with weights of few bits. Nothing changes the net that it is given."""

    def __init__(self, weight_bits: int = 3, lr: float = 0.005) -> None:
        self.weight_bits, self.lr = weight_bits, lr

    def fine_tune(self, net: CurveNet, data: Pairs, steps: int) -> CurveNet:
        """Return a copy of the net that was trained in float for `steps` more steps."""
        tuned = copy.deepcopy(net).train()
        fit(tuned, data, steps, self.lr)
        return tuned.eval()

    def ptq(self, net: CurveNet, data: Pairs) -> torch.fx.GraphModule:
        """Return the net quantized without any training, calibrated on `data`."""
        return ptq_graph(net, data, self.weight_bits)

    def qat(self, net: CurveNet, data: Pairs, steps: int) -> torch.fx.GraphModule:
        """Return the net trained with fake quant for `steps` steps (scales frozen after half of them), and converted."""
        graph = qat_graph(net, self.weight_bits)

        def freeze(step: int) -> None:
            if step == steps // 2:
                graph.apply(disable_observer)

        fit(graph, data, steps, self.lr, before_step=freeze)
        return convert_pt2e(graph)

    def score(self, model: Callable[[torch.Tensor], torch.Tensor], data: Pairs) -> float:
        """Return how well a model follows the points of `data`, in dB."""
        return curve_db(model, data)
