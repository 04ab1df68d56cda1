"""Why a conv stays fp32 in the reference representation: three conditions."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    from torch import fx

REASONS = ("op", "weight", "output")


class WhyConvStays(Exercise):
    """why_conv_stays(gm): for each conv of a Q/DQ graph, the conditions of torchao's pattern that it does not meet."""

    id = "m07_2.why_conv_stays"
    kind = "practice"
    minutes = 15
    criteria = {"convs": 1, "op": 1, "weight": 1, "output": 1}
    parameters = ("gm",)
    hints = (
        "For each conv node, look at three places: the node itself, its weight (`node.args[1]`), and whoever reads it "
        "(`node.users`).",
        "`node.target` is an overload, such as `torch.ops.aten.conv2d.default`. `torch.ops.aten.conv2d` without "
        "`.default` is the packet of all overloads, and never equal to it.",
        "Begin with an empty set for each conv, and add a word for each condition that fails. One `if` after the other, "
        "no `elif`.",
    )
    misconceptions = {
        "one-op-only": "Both ops compute a convolution: a graph from torch.export has conv2d, and after decomposition "
        "it is convolution. Look for both.",
        "packet-for-overload": "`torch.ops.aten.convolution` is a packet of overloads. A node calls one overload, "
        "`torch.ops.aten.convolution.default`, and the two are never equal.",
        "any-conv-fits": "conv2d and convolution compute the same, but a pattern compares targets: to it they are two "
        "different ops.",
        "weight-of-another": "Each conv has its own weight. Another one in the same graph may well be quantized "
        "another way.",
        "weight-not-seen": "A weight with one scale for each channel is dequantized by another op than one with a single "
        "scale, and the pattern has the latter only.",
        "output-not-seen": "The pattern ends with the quantize directly behind the conv. With a relu in between it does "
        "not fit.",
        "only-one-reason": "The conditions are independent: each that fails has to be named, or mending the first one "
        "will be a disappointment.",
    }
    public_cases = (
        Case(model="conv_relu", per_channel=True),
        Case(model="conv_relu_conv", per_channel=False, convolution=True, seed=1),
    )
    facts = {
        "form": {"type": "boolean"},
        "reasons": {
            "type": "object",
            "maxProperties": 100,
            "additionalProperties": {"type": "array", "maxItems": 20, "items": {"type": "string"}},
        },
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, _graph(case))
        reasons: dict[str, list[str]] = {}
        form = isinstance(returned, Mapping)
        with ev.student("the reasons were read"):
            for conv, found in dict(returned).items() if form else ():
                form = form and isinstance(found, (set, frozenset, list, tuple)) and all(f in REASONS for f in found)
                if form:
                    reasons[str(conv)] = sorted({str(f) for f in found})
        ev.fact("form", form)
        ev.fact("reasons", reasons if form else {})

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["form"]:
            symptom = 'What is returned is not a dict from names of convs to sets of "op", "weight", "output".'
            yield Finding(None, False, "form", symptom)
            return
        gm = _graph(case)
        wanted = {n.name: reasons(n) for n in gm.graph.nodes if is_conv(n)}
        found = {name: set(why) for name, why in evidence.facts["reasons"].items()}
        if set(found) == set(wanted):
            yield self.passed("convs")
        else:
            detail = f"convs: {', '.join(wanted)}; yours: {', '.join(found) or 'none'}"
            missed = not set(found) - set(wanted)
            symptom = "A conv of the graph is not in the dict." if missed else "Not every key is the name of a conv."
            yield self.failed("convs", "one-op-only" if missed else None, symptom, detail=detail)
        common = [name for name in wanted if name in found]
        if not common:
            return
        one_each = all(len(found[n]) <= 1 and found[n] <= wanted[n] for n in common)
        for reason in REASONS:
            wrong = [n for n in common if (reason in found[n]) != (reason in wanted[n])]
            if not wrong:
                yield self.passed(reason)
                continue
            name = wrong[0]
            detail = f"{name}: {_words(wanted[name])}; yours: {_words(found[name])}"
            if reason in wanted[name]:
                kinds = {"op": "any-conv-fits", "weight": "weight-not-seen", "output": "output-not-seen"}
                some = any(found[n] for n in wrong)
                kind = "only-one-reason" if one_each and some and len(wanted[name]) > 1 else kinds[reason]
                symptom = "A condition that fails is not named."
            else:
                kinds = {"op": "packet-for-overload", "weight": None, "output": None}
                if any("weight" in why for why in wanted.values()):
                    kinds["weight"] = "weight-of-another"
                kind, symptom = kinds[reason], "A condition is named that holds."
            yield self.failed(reason, kind, symptom, detail=detail)


def is_conv(node: "fx.Node") -> bool:
    """Whether a node computes a convolution."""
    import torch

    return node.target in (torch.ops.aten.conv2d.default, torch.ops.aten.convolution.default)


def reasons(conv: "fx.Node") -> set[str]:
    """The judge's own reference."""
    import torch

    found = set()
    if conv.target != torch.ops.aten.convolution.default:
        found.add("op")
    weight: Any = conv.args[1]
    if "dequantize_per_channel" in str(weight.target):
        found.add("weight")
    if not all("quantized_decomposed.quantize_per_tensor" in str(user.target) for user in conv.users):
        found.add("output")
    return found


def _words(why: set[str]) -> str:
    return ", ".join(sorted(why)) or "nothing fails"


def _graph(case: Case) -> "fx.GraphModule":
    from common.lowering import as_convolution

    gm = quantized(case)
    return as_convolution(gm) if case.get("convolution") else gm
