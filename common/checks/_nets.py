"""Nets and data that several exercises share; called by probes and judges alike."""

import copy
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch
    from torch import fx, nn


def exported(model: str, seed: int) -> "fx.GraphModule":
    """Return a net of `common.models` as an exported graph of its own; the same seed gives the same weights."""
    return copy.deepcopy(_exported_once(model, seed))


@lru_cache(maxsize=32)
def _exported_once(model: str, seed: int) -> "fx.GraphModule":
    """Exporting takes ten times as long as copying, and a check looks at the same net again and again."""
    from common.models import example_inputs, get_model
    from common.pt2e import export_module

    if model == "written_into":
        return export_module(_written_into(seed).eval(), example_inputs())
    if model == "two_inputs":
        return export_module(two_inputs(seed).eval(), (*example_inputs(), *example_inputs(seed=1)))
    return export_module(get_model(model, seed=seed).eval(), example_inputs())


def batches(seed: int, n: int = 4) -> "Iterator[tuple[torch.Tensor]]":
    """Yield n calibration batches ``(x,)`` with x of shape (4, 3, 16, 16)."""
    from common.data import random_batches

    return random_batches(4 * n, batch_size=4, seed=seed)


def two_inputs(seed: int) -> "nn.Module":
    """conv(picture) · sigmoid(conv(mask)): two inputs that have the same batch; the second one is read first."""
    import torch
    from torch import nn

    class TwoInputs(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)
            self.gate = nn.Conv2d(3, 4, 1)

        def forward(self, picture: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
            gate = torch.sigmoid(self.gate(mask))
            return self.conv(picture) * gate

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TwoInputs()


def name_arguments(gm: "fx.GraphModule") -> None:
    """Give every argument behind the first its name, as a change of a graph may do: `kwargs` hold nodes then."""
    for node in gm.graph.nodes:
        schema = getattr(node.target, "_schema", None)
        if node.op == "call_function" and schema is not None:
            names = [a.name for a in schema.arguments]
            node.kwargs = {**dict(zip(names[1:], node.args[1:], strict=False)), **node.kwargs}
            node.args = node.args[:1]
    gm.recompile()


def named_only(reader: "fx.Node", node: "fx.Node") -> bool:
    """Whether a reader holds a node in its kwargs, and not in its args."""
    from torch.fx.node import map_arg

    found: list[fx.Node] = []
    map_arg(reader.args, found.append)
    return node not in found and node in reader.all_input_nodes


def _written_into(seed: int) -> "nn.Module":
    """conv → relu writes into half of it, and tanh reads the whole afterwards; a sum reads both."""
    import torch
    from torch import nn

    class WrittenInto(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.conv = nn.Conv2d(3, 4, 1)
            self.relu = nn.ReLU(inplace=True)

        def forward(self, x: "torch.Tensor") -> "torch.Tensor":
            y = self.conv(x)
            z = self.relu(y[:, :2])
            return torch.tanh(y)[:, :2] + z

    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return WrittenInto()
