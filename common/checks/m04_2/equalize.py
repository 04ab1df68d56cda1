"""Move factors from the channels of one conv to the next one, so that both have equal ranges."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch
    from torch import nn

TOLERANCE = 1e-4
"""Relative; float32 is good to 1e-6, and known mistakes are off by much more."""


class Equalize(Exercise):
    """equalize(conv_a, conv_b): weights and bias with equal ranges for each channel between two convs."""

    id = "m04_2.equalize"
    kind = "practice"
    minutes = 20
    criteria = {"same function": 2, "equal ranges": 2}
    must_return = True
    parameters = ("conv_a", "conv_b")
    hints = (
        "Channel i between the convs is output channel i of the first and input channel i of the second. What is divided by "
        "s[i] there is multiplied with s[i] here.",
        "Ranges: `conv_a.weight.abs().amax((1, 2, 3))` and `conv_b.weight.abs().amax((0, 2, 3))`. After the change they are "
        "`range_a / s` and `range_b * s`.",
        "Both are equal if `s = sqrt(range_a / range_b)`. The bias of the first conv is divided by s as well.",
    )
    misconceptions = {
        "bias-forgotten": "The bias of the first conv is a part of the value of the channel. It is divided as the weight is.",
        "second-not-undone": "What the first conv divides, the second has to multiply again. Otherwise the net computes "
        "something else.",
        "wrong-direction": "The two factors have to cancel out. Dividing in both convs, or multiplying in both, does not.",
        "wrong-axis": "In the second conv the channel is an *input* channel: dimension 1 of its weight.",
        "no-root": "With s = range_a / range_b the ranges change places. The root of it brings both to the middle.",
        "without-abs": "The range of a channel is its largest *absolute* value: `.abs()` comes before the maximum.",
        "turned-round": "The factor s makes the range of one conv smaller and that of the other one larger. The other way "
        "round, the larger range grows.",
        "only-first": "The first conv has equal ranges in all channels now, but the second has got all the differences. Asked "
        "for are equal ranges of the two *in each channel*.",
        "nothing-changed": "The weights are as before.",
        "form": "The function returns three tensors: `return weight_a, bias_a, weight_b`.",
        "changes-layers": "The function only computes. Make new tensors, and do not write into those of the layers.",
    }
    public_cases = (
        Case(channels=[3, 8, 4], spread=2),
        Case(channels=[4, 4, 4], spread=1, seed=1),
    )
    facts = {
        "form": {"type": "string"},
        "weight_a": TENSOR,
        "bias_a": TENSOR,
        "weight_b": TENSOR,
        **{f"after_{name}": TENSOR for name in ("weight_a", "bias_a", "weight_b")},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        a, b = layers(case)
        returned = ev.call(answer, a, b)
        parts = list(returned) if isinstance(returned, (tuple, list)) else []
        good = len(parts) == 3 and all(isinstance(t, torch.Tensor) for t in parts)
        ev.fact("form", "three" if good else type(returned).__name__)
        if not good:
            return
        for name, tensor in zip(("weight_a", "bias_a", "weight_b"), parts, strict=True):
            ev.tensor(name, tensor)
        for name, tensor in _parts(a, b).items():
            ev.tensor(f"after_{name}", tensor)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if "must match the size of tensor" in (evidence.exception or {}).get("message", ""):
            symptom = "A weight and the factors do not fit together: they lie along another dimension."
            yield self.failed("same function", "wrong-axis", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        import torch

        found = evidence.facts.get("form")
        if found != "three":
            symptom = "The result is not three tensors."
            yield Finding(None, False, "form", symptom, self.misconceptions["form"], f"it is a {found}")
            return
        given = {name: t.detach() for name, t in _parts(*layers(case)).items()}
        got = {name: evidence.tensor(name) for name in given}
        if any(got[name].shape != given[name].shape for name in given):
            symptom = "A tensor has another shape than before."
            yield Finding(None, False, "form", symptom, self.misconceptions["form"])
            return
        got = {name: tensor.double() for name, tensor in got.items()}
        if any(
            not evidence.has(f"after_{n}") or not torch.equal(evidence.tensor(f"after_{n}"), given[n]) for n in given
        ):
            symptom = "The given layers are not the same as before."
            yield Finding(None, False, "changes-layers", symptom, self.misconceptions["changes-layers"])
        same = _same_function(got, given, case)
        equal, kind = _ranges(got, given)
        if same:
            yield self.passed("same function")
        else:
            symptom = "The two convs with a relu between them compute something else than before."
            yield self.failed("same function", _why(got, given), symptom)
        if equal:
            yield self.passed("equal ranges")
        else:
            symptom = "The ranges of the two convs are not equal in each channel."
            yield self.failed("equal ranges", kind if same else None, symptom)


def layers(case: Case) -> "tuple[nn.Conv2d, nn.Conv2d]":
    """Two convs; the channels between them have very different ranges."""
    import torch
    from torch import nn

    ins, between, outs = case.channels
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(case.seed + 40)
        a, b = nn.Conv2d(ins, between, 3, padding=1), nn.Conv2d(between, outs, 3, padding=1)
        factors = 10 ** (case.spread * (torch.rand(between) - 0.5))
        a.weight.mul_(factors.view(-1, 1, 1, 1))
        a.bias.mul_(factors)  # type: ignore[union-attr]
        b.weight.div_(factors.view(1, -1, 1, 1))
    return a.eval(), b.eval()


def _parts(a: Any, b: Any) -> "dict[str, torch.Tensor]":
    return {"weight_a": a.weight, "bias_a": a.bias, "weight_b": b.weight}


def _run(parts: "dict[str, torch.Tensor]", case: Case) -> "torch.Tensor":
    import torch
    from torch import nn

    conv2d = nn.functional.conv2d
    generator = torch.Generator().manual_seed(case.seed + 5)
    x = torch.randn(4, case.channels[0], 8, 8, generator=generator, dtype=torch.float64)
    y = torch.relu(conv2d(x, parts["weight_a"].double(), parts["bias_a"].double(), padding=1))
    return conv2d(y, parts["weight_b"].double(), padding=1)


def _same_function(got: "dict[str, torch.Tensor]", given: "dict[str, torch.Tensor]", case: Case) -> bool:
    one, other = _run(got, case), _run(given, case)
    return bool(((one - other).abs() <= TOLERANCE * other.abs().max()).all())


def _range_pair(parts: "dict[str, torch.Tensor]") -> "tuple[torch.Tensor, torch.Tensor]":
    return parts["weight_a"].double().abs().amax((1, 2, 3)), parts["weight_b"].double().abs().amax((0, 2, 3))


def _near(one: "torch.Tensor", other: "torch.Tensor") -> bool:
    return bool(((one - other).abs() <= TOLERANCE * other.abs()).all())


def _ranges(got: "dict[str, torch.Tensor]", given: "dict[str, torch.Tensor]") -> tuple[bool, str | None]:
    """Whether the ranges are equal; if not, what was done in its place."""
    a, b = _range_pair(got)
    was_a, was_b = _range_pair(given)
    if _near(a, b):
        return True, None
    if _near(a, was_a):
        return False, "nothing-changed"
    if _near(a, was_b):
        return False, "no-root"
    if _near(a * was_b, was_a * (was_a * was_b).sqrt()):
        return False, "turned-round"
    signed = given["weight_a"].double().amax((1, 2, 3)) / given["weight_b"].double().amax((0, 2, 3))
    if _near(was_a / a, signed.sqrt()):
        return False, "without-abs"
    if _near(a, a.mean().expand_as(a)):
        return False, "only-first"
    return False, None


def _why(got: "dict[str, torch.Tensor]", given: "dict[str, torch.Tensor]") -> str | None:
    """What made two convs compute something else, from the factors that can be read off the tensors."""
    s = given["weight_a"].double().flatten(1)[:, 0] / got["weight_a"].flatten(1)[:, 0]
    if not _near(got["weight_a"] * s.view(-1, 1, 1, 1), given["weight_a"].double()):
        return "wrong-axis" if len(set(given["weight_a"].shape[:2])) == 1 else None
    undone = given["weight_b"].double() * s.view(1, -1, 1, 1)
    if _near(got["weight_b"], given["weight_b"].double()):
        return "second-not-undone"
    if _near(got["weight_b"], given["weight_b"].double() / s.view(1, -1, 1, 1)):
        return "wrong-direction"
    if not _near(got["weight_b"], undone):
        b = given["weight_b"].double()
        turned = b.shape[0] == b.shape[1] and _near(got["weight_b"], b * s.view(-1, 1, 1, 1))
        return "wrong-axis" if turned else None
    return "bias-forgotten" if _near(got["bias_a"], given["bias_a"].double()) else None
