"""Put the mean of an error into the bias."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import nn

    Layer = nn.Conv2d | nn.Linear

SHARE = 1e-3
"""Of the largest shift: means of float32 in another order differ by a millionth of the values, a wrong idea by far more."""


class CorrectedBias(Exercise):
    """corrected_bias(layer, quantized, x): the bias with which the quantized layer has the channel means of the float one."""

    id = "m05_3.corrected_bias"
    kind = "practice"
    minutes = 10
    criteria = {"a bias": 1, "means agree": 2, "layers as they were": 1}
    must_return = True
    parameters = ("layer", "quantized", "x")
    not_allowed = ("with_corrected_biases",)
    hints = (
        "Run both layers on `x`. What is the mean of their difference, channel by channel?",
        "A convolution gives (batch, channel, height, width): the mean goes over all dimensions but the channel. A linear "
        "gives (batch, channel).",
        "The new bias is the old one plus the mean of *float output − quantized output*. A layer without a bias has 0.",
    )
    misconceptions = {
        "sign": "What the quantized layer has too little must be *added*: float output minus quantized output.",
        "shift-only": "The old bias is still needed: the mean of the error comes on top of it.",
        "one-number": "Each channel has a shift of its own, up or down. In a mean over all channels they cancel.",
        "per-picture": "The bias is one number for each channel, the same for all pictures and all places.",
        "of-the-weights": "The error of a weight counts as often as the value that it is multiplied with: look at the outputs, "
        "not at the weights alone.",
        "size-of-the-error": "The mean of the absolute error is never negative and says how *large* the error is. The shift has a "
        "sign: here the error is too high, there too low.",
        "first-picture": "The shift is a mean over all the pictures. One of them has chance in it.",
        "no-bias": "`layer.bias` is None when a layer was made without a bias. It then adds 0.",
        "in-place": "The layers belong to the caller: return a new tensor, and leave their bias as it is.",
        "float-mean": "The mean of one of the outputs alone is no error. The difference of the two is.",
        "shape": "The bias has one number for each output channel.",
        "form": "The result is a tensor.",
    }
    public_cases = (
        Case(kind="conv", bits=3, bias=True),
        Case(kind="linear", bits=2, bias=True, seed=1),
        Case(kind="conv", bits=4, bias=False, seed=2),
    )
    facts = {
        "bias": TENSOR,
        "kind": {"type": "string"},
        "layer": TENSOR,
        "quantized": TENSOR,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        layer, quantized, x = _layers(case)
        returned = ev.call(answer, layer, quantized, x.clone())
        ev.fact("kind", type(returned).__name__)
        if isinstance(returned, torch.Tensor) and returned.numel() <= 100_000:
            ev.tensor("bias", returned)
        with ev.student("the layers were run once more"), torch.no_grad():
            ev.tensor("layer", layer(x))
            ev.tensor("quantized", quantized(x))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = str((evidence.exception or {}).get("message", ""))
        as_tensor = "unsupported operand" in message or "object has no attribute" in message or "Tensor" in message
        if not case.bias and "NoneType" in message and as_tensor:
            symptom = "The bias of a layer without one (None) was used as a tensor."
            yield self.failed("a bias", "no-bias", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        layer, quantized, x = _layers(case)
        with torch.no_grad():
            y, z = layer(x), quantized(x)
        criterion = "layers as they were"
        if torch.equal(evidence.tensor("layer"), y) and torch.equal(evidence.tensor("quantized"), z):
            yield self.passed(criterion)
        else:
            yield self.failed(criterion, "in-place", "One of the layers computes something else than before.")
        if not evidence.has("bias"):
            yield self.failed(
                "a bias", "form", "The result is not a tensor.", detail=f"it is a {evidence.facts['kind']}"
            )
            return
        said = evidence.tensor("bias").double()
        ideas, channels = _ideas(case), y.shape[1]
        if said.dim() != 1 or said.numel() != channels:
            one = said.numel() == 1
            kind = "one-number" if one else "per-picture" if said.numel() > channels else "shape"
            symptom = "The result does not have one number for each output channel."
            detail = f"asked for: ({channels},); yours: {tuple(said.shape)}"
            yield self.failed("a bias", kind, symptom, detail=detail)
            return
        yield self.passed("a bias")
        if not torch.isfinite(said).all():
            yield self.failed("means agree", None, "The new bias holds values that are no numbers.")
            return
        near = SHARE * ideas["shift-only"].abs().max().item()
        if (said - ideas["right"]).abs().max() <= near:
            yield self.passed("means agree")
            return
        found = [k for k, value in ideas.items() if k != "right" and (said - value).abs().max() <= near]
        symptom = "With this bias the quantized layer has other means of its channels than the float one."
        yield self.failed("means agree", found[0] if found else None, symptom)


def _ideas(case: Case) -> "dict[str, torch.Tensor]":
    """The right bias, and those that known wrong ideas give; in float64."""
    import torch

    layer, quantized, x = _layers(case)
    with torch.no_grad():
        y, z = layer(x).double(), quantized(x).double()
        weights = (layer.weight - quantized.weight).double()
    old = torch.zeros(y.shape[1], dtype=torch.float64) if layer.bias is None else layer.bias.detach().double()

    def mean(t: "torch.Tensor") -> "torch.Tensor":
        return t.mean([d for d in range(t.dim()) if d != 1])

    shift = mean(y - z)
    return {
        "right": old + shift,
        "sign": old - shift,
        "shift-only": shift,
        "one-number": old + shift.mean(),
        "of-the-weights": old + weights.flatten(1).mean(1),
        "size-of-the-error": old + mean((y - z).abs()),
        "first-picture": old + mean((y - z)[:1]),
        "float-mean": mean(y),
    }


def _layers(case: Case) -> "tuple[Layer, Layer, torch.Tensor]":
    """A float layer, the same one with a rounded weight, and values such as a relu gives (none is negative)."""
    import copy

    import torch
    from torch import nn

    generator = torch.Generator().manual_seed(case.seed + 5)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(case.seed)
        layer: Layer
        if case.kind == "conv":
            layer = nn.Conv2d(4, 6, 3, padding=1, bias=case.bias)
        elif case.kind == "strided":
            layer = nn.Conv2d(4, 3, 3, stride=2, bias=case.bias)
        elif case.kind == "depthwise":
            layer = nn.Conv2d(4, 4, 3, groups=4, bias=case.bias)
        else:
            layer = nn.Linear(12, 5, bias=case.bias)
    shape = (6, 12) if isinstance(layer, nn.Linear) else (6, 4, 8, 8)
    x = torch.randn(shape, generator=generator).relu() * 2
    quantized = copy.deepcopy(layer)
    largest = 2 ** (int(case.bits) - 1) - 1
    with torch.no_grad():
        step = layer.weight.abs().flatten(1).amax(1).reshape(-1, *[1] * (layer.weight.dim() - 1)) / largest
        quantized.weight.copy_((layer.weight / step).round() * step)
    return layer.eval(), quantized.eval(), x
