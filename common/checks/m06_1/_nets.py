"""Tiny nets with fake quant in them, for the exercises of m06: a few hundred numbers, and no batch norm behind a conv."""

import copy
from functools import lru_cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import torch
    from torch import fx, nn

INPUTS = {"curve": 1, "deep_curve": 1, "curve_drop": 2, "linear_bn": 3}
"""Nets that read vectors, and how many numbers each of them reads; "conv_drop" and "conv_bn" read pictures."""


def net(name: str, seed: int) -> "nn.Module":
    """Return a net in train mode; the same seed gives the same weights. Batch norms have statistics of their own."""
    import torch
    from torch import nn

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        made: nn.Module = {
            "curve": lambda: nn.Sequential(nn.Linear(1, 12), nn.ReLU(), nn.Linear(12, 1)),
            "deep_curve": lambda: nn.Sequential(
                nn.Linear(1, 10), nn.ReLU(), nn.Linear(10, 8), nn.ReLU(), nn.Linear(8, 1)
            ),
            "curve_drop": lambda: nn.Sequential(nn.Linear(2, 16), nn.ReLU(), nn.Dropout(0.5), nn.Linear(16, 1)),
            "linear_bn": lambda: nn.Sequential(nn.Linear(3, 6), nn.BatchNorm1d(6), nn.ReLU(), nn.Linear(6, 2)),
            "conv_drop": lambda: nn.Sequential(
                nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Dropout(0.5), nn.Flatten(), nn.Linear(4 * 4 * 4, 2)
            ),
            "conv_bn": lambda: nn.Sequential(
                nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.Dropout(0.5), nn.Flatten(), nn.Linear(64, 2)
            ),
        }[name]()
        for module in made.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                assert module.running_mean is not None and module.running_var is not None
                nn.init.uniform_(module.running_mean, -0.5, 0.5)
                nn.init.uniform_(module.running_var, 0.5, 2.0)
    return made.train()


def points(name: str, seed: int, n: int = 64) -> "torch.Tensor":
    """Return n inputs of a net: vectors of shape (n, k), or pictures of shape (n, 1, 6, 6)."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    shape = (n, INPUTS[name]) if name in INPUTS else (n, 1, 6, 6)
    return 4 * torch.rand(shape, generator=generator) - 2


def curve_batches(name: str, seed: int, n: int = 4) -> "list[tuple[torch.Tensor, torch.Tensor]]":
    """Return n batches ``(x, y)`` of 32 points each; y is a smooth function of x, with one number for each point."""
    import torch

    x = points(name, seed, 32 * n)
    y = torch.sin(1.5 * x[:, :1]) + 0.5 * x[:, -1:]
    return list(zip(x.split(32), y.split(32), strict=True))


def fake_quantized(name: str, seed: int, weight_bits: int, *, train: bool = False) -> "fx.GraphModule":
    """Return a net as a graph with a FakeQuantize at input, weights and outputs of layers, both switches on.

    The places are those of `prepare_qat_pt2e` for these nets, batch norm aside; put in by hand, as that is quicker.
    """
    return copy.deepcopy(_once(name, seed, weight_bits, train))


@lru_cache(maxsize=32)
def _once(name: str, seed: int, weight_bits: int, train: bool) -> "fx.GraphModule":
    from common.graph_utils import short, splice
    from common.pt2e import export_module

    gm = export_module(net(name, seed).train(train), (points(name, 0, 4),))
    for i, node in enumerate(list(gm.graph.nodes)):
        layer = short(node.target) in ("linear", "conv2d")
        if layer:
            splice(gm, node.args[1], _module(weight_bits, weight=True), f"fake_quant_{i}_weight")
        follower = next(iter(node.users), None)
        before_relu = follower is not None and short(follower.target) in ("relu", "batch_norm")
        output = (layer and not before_relu) or short(node.target) in ("relu", "dropout")
        if node.op == "placeholder" or output:
            splice(gm, node, _module(8, weight=False), f"fake_quant_{i}")
    gm.recompile()
    return gm


def _module(bits: int, *, weight: bool) -> Any:
    import torch
    from torchao.quantization.pt2e.observer import MovingAveragePerChannelMinMaxObserver

    from common.pt2e import FakeQuantize, MovingAverageMinMaxObserver

    most = 2 ** (bits - 1) - 1
    if weight:
        return FakeQuantize(
            observer=MovingAveragePerChannelMinMaxObserver,
            ch_axis=0,
            dtype=torch.int8,
            quant_min=-most,
            quant_max=most,
            qscheme=torch.per_channel_symmetric,
            eps=2**-12,
        )
    return FakeQuantize(
        observer=MovingAverageMinMaxObserver,
        dtype=torch.int8,
        quant_min=-most - 1,
        quant_max=most,
        qscheme=torch.per_tensor_affine,
        eps=2**-12,
    )


def fake_quants(gm: "nn.Module") -> "dict[str, Any]":
    """All fake quants of a model by name."""
    from common.pt2e import FakeQuantizeBase

    return {name: m for name, m in gm.named_modules() if isinstance(m, FakeQuantizeBase)}


def training_flags(gm: "fx.GraphModule") -> list[bool]:
    """The flag `training` of each dropout and batch norm of a graph, in order."""
    places = {"aten.dropout.default": 2, "aten.dropout_.default": 2, "aten.batch_norm.default": 5}
    found = []
    for node in gm.graph.nodes:
        place = places.get(str(node.target))
        if place is not None and len(node.args) > place:
            found.append(node.args[place] is True)
    return found
