"""Nets with batch norms that have seen data, as graphs, and which of the batch norms are folded."""

import copy
from collections.abc import Collection
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case
from common.exercise.evidence import Recorder

if TYPE_CHECKING:
    import torch
    from torch import fx, nn

NAMES = {"type": "array", "maxItems": 300, "items": {"type": "string", "maxLength": 200}}
"""JSON Schema of recorded names."""

BATCH_NORM = "aten.batch_norm.default"
CONVS = ("aten.conv1d", "aten.conv2d", "aten.conv3d", "aten.conv_transpose1d", "aten.conv_transpose2d")
LINEAR = "aten.linear.default"


def graph(case: Case) -> "fx.GraphModule":
    """The graph of a case, exported in `mode` "eval" or "train"; `swap` lets pairs of nodes exchange their names."""
    gm = copy.deepcopy(_exported(case.model, case.get("mode", "eval"), case.seed))
    nodes = {n.name: n for n in gm.graph.nodes}
    for one, other in case.get("swap") or ():
        nodes[one].name, nodes[other].name = other, one
    gm.recompile()
    return gm


@lru_cache(maxsize=32)
def _exported(model: str, mode: str, seed: int) -> "fx.GraphModule":
    from common.models import example_inputs
    from common.pt2e import export_module

    return export_module(net(model, seed).train(mode == "train"), example_inputs())


def net(model: str, seed: int) -> "nn.Module":
    """A net of `common.models` or of this file; its batch norms have seen data."""
    import torch
    from torch import nn

    from common.models import MODELS, get_model

    made = get_model(model, seed) if model in MODELS else _own(model, seed)
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed + 20)
        for module in made.modules():
            if isinstance(module, (nn.BatchNorm1d, nn.BatchNorm2d)):
                if module.running_mean is not None and module.running_var is not None:
                    module.running_mean.normal_()
                    module.running_var.uniform_(0.3, 3)
                if module.affine:
                    module.weight.uniform_(0.5, 2)
                    module.bias.normal_()
    return made


def _own(model: str, seed: int) -> "nn.Module":
    import torch
    from torch import nn

    def padded(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu(m.bn_a(m.conv_a(x)))
        return m.bn_b(m.up(y))

    def tied(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = m.bn_a(m.conv_a(x))
        z = m.bn_b(nn.functional.conv2d(x, m.conv_a.weight, None, 1, 1))
        return m.bn_c(m.conv_c(torch.relu(y + z)))

    def bias_read(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu(m.bn_a(m.conv_a(x)))
        return m.bn_b(m.conv_b(y)) + m.conv_a.bias.reshape(1, -1, 1, 1)

    def counted(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu(m.conv_a(x))
        y += 1
        y = m.drop_a(m.bn_a(y))
        z = m.drop_b(m.bn_b(m.conv_b(y)))
        z += y
        return z

    def own_counter(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        if m.training:
            m.steps.seen.add_(1)
        y = torch.relu(m.conv_a(x))
        y.add_(m.steps.level)  # a part of the net: it works in place, and reads a buffer
        return m.bn_a(m.conv_b(y))

    def two_heads(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = m.conv_a(x)
        left, right = torch.relu(m.bn_a(y)), torch.sigmoid(m.bn_b(y))
        return m.bn_c(m.conv_c(left * right))

    def no_statistics(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu(m.bn_a(m.conv_a(x)))
        return m.bn_b(m.conv_b(y))

    def read_twice(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = m.bn_a(m.conv_a(x))
        return m.bn_b(m.conv_b(torch.relu(y) * torch.sigmoid(y)))

    def kinds(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu_(m.bn_a(m.conv_a(x)))
        y = nn.functional.relu6(m.bn_b(m.conv_b(y)))
        y = m.bn_c(torch.relu(m.conv_c(y)))
        return torch.relu(torch.sigmoid(m.conv_d(y)))

    def parallel(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y, z = m.conv_a(x), m.conv_b(x)
        y, z = m.bn_a(y), m.bn_b(z)
        return torch.relu(y) - torch.relu(z)

    def late_relu(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.relu(nn.functional.max_pool2d(m.bn_a(m.conv_a(x)), 2))
        z = m.conv_b(y)
        return torch.relu(z) * torch.sigmoid(z)

    def deep_head(m: Any, x: "torch.Tensor") -> "torch.Tensor":
        y = torch.flatten(m.pool(m.conv_a(x)), 1)
        y = torch.relu(m.bn_a(m.fc_a(y)))
        return m.fc_b(m.bn_b(y))

    def conv(ins: int, outs: int, **more: Any) -> "nn.Conv2d":
        return nn.Conv2d(ins, outs, 3, padding=1, **more)

    def steps() -> "nn.Module":
        held = nn.Module()
        held.register_buffer("seen", torch.tensor(0))
        held.register_buffer("level", torch.rand(4, 1, 1))
        return held

    bn = nn.BatchNorm2d
    parts: dict[str, tuple[Any, Any]] = {
        "bn_padded": (
            padded,
            lambda: {
                "conv_a": nn.Conv2d(3, 4, 3, padding="same"),
                "bn_a": bn(4),
                "up": nn.ConvTranspose2d(4, 5, 2, stride=2),
                "bn_b": bn(5),
            },
        ),
        "bn_tied": (
            tied,
            lambda: {
                "conv_a": conv(3, 4),
                "bn_a": bn(4),
                "bn_b": bn(4),
                "conv_c": conv(4, 2, bias=False),
                "bn_c": bn(2),
            },
        ),
        "bn_bias_read": (bias_read, lambda: {"conv_a": conv(3, 4), "bn_a": bn(4), "conv_b": conv(4, 4), "bn_b": bn(4)}),
        "bn_counted": (
            counted,
            lambda: {
                "conv_a": conv(3, 4),
                "bn_a": bn(4),
                "drop_a": nn.Dropout(0.3),
                "conv_b": conv(4, 4),
                "bn_b": bn(4),
                "drop_b": nn.Dropout2d(0.3),
            },
        ),
        "own_counter": (
            own_counter,
            lambda: {"conv_a": conv(3, 4), "conv_b": conv(4, 4), "bn_a": bn(4), "steps": steps()},
        ),
        "bn_two_heads": (
            two_heads,
            lambda: {"conv_a": conv(3, 4), "bn_a": bn(4), "bn_b": bn(4), "conv_c": conv(4, 3), "bn_c": bn(3)},
        ),
        "bn_no_statistics": (
            no_statistics,
            lambda: {
                "conv_a": conv(3, 4),
                "bn_a": bn(4, track_running_stats=False),
                "conv_b": conv(4, 4),
                "bn_b": bn(4),
            },
        ),
        "bn_read_twice": (
            read_twice,
            lambda: {"conv_a": conv(3, 4), "bn_a": bn(4), "conv_b": conv(4, 4, bias=False), "bn_b": bn(4)},
        ),
        "bn_kinds": (
            kinds,
            lambda: {f"conv_{k}": conv(4 if k > "a" else 3, 4) for k in "abcd"} | {f"bn_{k}": bn(4) for k in "abc"},
        ),
        "bn_parallel": (
            parallel,
            lambda: {"conv_a": conv(3, 4), "conv_b": conv(3, 4), "bn_a": bn(4), "bn_b": bn(4)},
        ),
        "bn_late_relu": (late_relu, lambda: {"conv_a": conv(3, 4), "bn_a": bn(4), "conv_b": conv(4, 4)}),
        "bn_deep_head": (
            deep_head,
            lambda: {
                "conv_a": conv(3, 4),
                "pool": nn.AdaptiveAvgPool2d(2),
                "fc_a": nn.Linear(16, 6),
                "bn_a": nn.BatchNorm1d(6),
                "bn_b": nn.BatchNorm1d(6),
                "fc_b": nn.Linear(6, 3),
            },
        ),
    }
    compute, make = parts[model]

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            for name, module in make().items():
                self.add_module(name, module)

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            return compute(self, x)

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Net()


def batch_norms(gm: "fx.GraphModule") -> list[Any]:
    """The batch norm nodes of a graph, in graph order."""
    return [n for n in gm.graph.nodes if n.op == "call_function" and str(n.target) == BATCH_NORM]


def takes_a_norm(node: Any) -> bool:
    """Whether prepare_pt2e folds a batch norm into this node (torchao 0.18)."""
    name = str(getattr(node, "target", ""))
    return getattr(node, "op", "") == "call_function" and (
        name.startswith(tuple(f"{c}." for c in CONVS)) or name == LINEAR
    )


def prepared_without_labels(gm: "fx.GraphModule") -> "fx.GraphModule":
    """What prepare_pt2e makes of a graph when nothing is labelled: batch norms are folded, and that is all."""
    from common.pt2e import Quantizer, prepare_pt2e

    class _NoLabels(Quantizer):
        def annotate(self, model: Any) -> Any:
            return model

        def validate(self, model: Any) -> None:
            return None

    return prepare_pt2e(gm, _NoLabels())


def record_names(ev: Recorder, returned: Any) -> None:
    """Record what was returned, names or nodes in any collection, under `names`; of anything else only the type."""
    from torch import fx

    ev.fact("type", type(returned).__name__)
    if isinstance(returned, (str, fx.Node)) or not isinstance(returned, Collection):
        return
    items = [getattr(item, "name", None) if isinstance(item, fx.Node) else item for item in list(returned)[:300]]
    if all(isinstance(item, str) for item in items):
        ev.fact("names", sorted({str(item) for item in items}))
