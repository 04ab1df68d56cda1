"""What it costs, in dB, to round between the ops of a group."""

import copy
import math
import warnings
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks._nets import exported
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch

TOLERANCE = 1e-3
"""dB; the same graph, data and kernels give the same numbers, and known mistakes are off by more."""


class CostOfNoFusion(Exercise):
    """cost_of_no_fusion(gm, fused, per_op, batches, x): SQNR of a net quantized with either quantizer."""

    id = "m04_2.cost_of_no_fusion"
    kind = "practice"
    minutes = 15
    criteria = {"numbers": 3, "graph unchanged": 1}
    must_return = True
    parameters = ("gm", "fused", "per_op", "batches", "x")
    hints = (
        "Write a helper for one quantizer, and call it twice. It prepares a copy, calibrates, converts, and compares with the "
        "original graph.",
        "`prepare_pt2e` and `convert_pt2e` change the graph that they are given: `copy.deepcopy(gm)` first, for each quantizer.",
        "`with torch.no_grad():`, `for (batch,) in batches: prepared(batch)`, then `sqnr(gm(x), converted(x))`: the float "
        "output is the reference.",
    )
    misconceptions = {
        "not-calibrated": "Observers that have seen nothing give scales that fit nothing. `convert_pt2e` does not complain.",
        "calibrated-on-x": "The net is measured on x, so it must not be calibrated on x: it would look better than it is.",
        "not-converted": "A prepared graph only observes. It computes what the float graph does: nothing is rounded yet.",
        "swapped": "`sqnr(reference, output)`: the float output is the reference, and stands first.",
        "exchanged": "First the number of `fused`, then that of `per_op`.",
        "against-each-other": "Both are compared with the float graph. Compared with each other they do not say which one is "
        "better.",
        "difference": "Asked for are both numbers. From the difference alone nobody sees whether the nets are any good.",
        "ratio": "The distance is asked for in dB, as `sqnr` gives it.",
        "one-graph-for-both": "`prepare_pt2e` changes the graph that it is given. The second quantizer then gets a graph in "
        "which observers or q/dq nodes stand already. Each needs a copy of its own.",
        "graph-changed": "Whoever calls the function still needs the float graph: work on copies.",
        "type": "The result is two numbers: (dB of fused, dB of per_op).",
    }
    public_cases = (
        Case(model="conv_relu"),
        Case(model="residual", seed=1),
    )
    facts = {
        "values": {"type": "array", "maxItems": 2, "items": NUMBER},
        "nodes": {"type": "array", "maxItems": 500, "items": {"type": "string"}},
        "number": NUMBER,
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm = exported(case.model, case.seed)
        fused, per_op, data, x = _given(case)
        try:
            returned = ev.call(answer, gm, fused, per_op, data, x)
        finally:
            ev.fact("nodes", [n.name for n in gm.graph.nodes][:500])
        ev.fact("type", type(returned).__name__)
        with ev.student("the result was read"):
            if isinstance(returned, (tuple, list)) and len(returned) == 2:
                ev.fact("values", [float(value) for value in returned])
            elif isinstance(returned, (int, float)):
                ev.fact("number", float(returned))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        nodes = evidence.facts.get("nodes", [])
        if any("activation_post_process" in name or "quantize_per" in name for name in nodes):
            symptom = "The function changed the given graph, and then something went wrong."
            yield self.failed("graph unchanged", "one-graph-for-both", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        right = right_numbers(case.model, case.seed)
        if evidence.has("number") and _close(float(evidence.facts["number"]), right[0] - right[1]):
            yield Finding(None, False, "difference", "The result is one number.", self.misconceptions["difference"])
            return
        if not evidence.has("values") or len(evidence.facts["values"]) != 2:
            symptom = "The result is not a pair of numbers."
            yield Finding(
                None, False, "type", symptom, self.misconceptions["type"], f"it is a {evidence.facts.get('type')}"
            )
            return
        said = [float(value) for value in evidence.facts["values"]]
        changed = evidence.facts["nodes"] != [n.name for n in exported(case.model, case.seed).graph.nodes]
        if all(_close(a, b) for a, b in zip(said, right, strict=True)):
            yield self.passed("numbers")
        else:
            wrong = wrong_numbers(case.model, case.seed)
            kinds = [k for k, pair in wrong.items() if _all_close(said, pair)]
            kind = kinds[0] if kinds else None
            if kind is None and changed:
                kind = "one-graph-for-both"
            elif kind is None and (_close(said[0], wrong["against-each-other"][0]) or said[0] == said[1]):
                kind = "against-each-other"
            symptom = "The numbers are not the SQNR of the two quantized nets."
            detail = f"asked for {right[0]:.4f} and {right[1]:.4f}, yours {said[0]:.4f} and {said[1]:.4f}"
            yield self.failed("numbers", kind, symptom, detail=detail)
        if changed:
            yield self.failed("graph unchanged", "graph-changed", "The given graph has other nodes than before.")
        else:
            yield self.passed("graph unchanged")


def per_op_quantizer(inner: Any) -> Any:
    """A quantizer that labels what `inner` labels, and the output of each conv, linear and addition as well."""
    import torch

    from common.pt2e import ANNOTATION_KEY, Quantizer

    aten = torch.ops.aten

    class PerOp(Quantizer):
        def transform_for_annotation(self, model: Any) -> Any:
            return inner.transform_for_annotation(model)

        def annotate(self, model: Any) -> Any:
            inner.annotate(model)
            for node in model.graph.nodes:
                if node.target in (aten.conv2d.default, aten.linear.default, aten.add.Tensor):
                    note = node.meta.get(ANNOTATION_KEY)
                    if note is not None and note.output_qspec is None:
                        note.output_qspec = note.input_qspec_map[node.args[0]]
            return model

        def validate(self, model: Any) -> None:
            inner.validate(model)

    return PerOp()


def _given(case: Case) -> "tuple[Any, Any, list[tuple[torch.Tensor]], torch.Tensor]":
    from common.data import random_batches
    from common.models import example_inputs
    from common.pt2e import get_xnnpack_quantizer

    fused, per_op = get_xnnpack_quantizer()[0], per_op_quantizer(get_xnnpack_quantizer()[0])
    data = list(random_batches(32, batch_size=8, seed=case.seed + 7))
    return fused, per_op, data, example_inputs(8, seed=case.seed + 30)[0]


@lru_cache(maxsize=16)
def right_numbers(model: str, seed: int) -> tuple[float, float]:
    """The SQNR of both quantized nets."""
    from common.graph_utils import sqnr

    case = Case(model=model, seed=seed)
    reference, (one, other) = _outputs(case, _given(case)[2])
    return sqnr(reference, one), sqnr(reference, other)


def _outputs(case: Case, batches: "Iterable[tuple[torch.Tensor]]") -> "tuple[torch.Tensor, list[torch.Tensor]]":
    """The output of the float net, and those of both quantized nets, calibrated on these batches."""
    import torch

    from common.pt2e import convert_pt2e, prepare_pt2e

    gm, x, found = exported(case.model, case.seed), _given(case)[3], []
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # observers that have seen nothing
        for quantizer in _given(case)[:2]:
            prepared = prepare_pt2e(copy.deepcopy(gm), quantizer)
            for (batch,) in batches:
                prepared(batch)
            found.append(convert_pt2e(prepared)(x))
        return gm(x), found


@lru_cache(maxsize=16)
def wrong_numbers(model: str, seed: int) -> dict[str, tuple[float, float]]:
    """What known mistakes give."""
    from common.graph_utils import sqnr

    case = Case(model=model, seed=seed)
    reference, (one, other) = _outputs(case, _given(case)[2])
    _reference, bare = _outputs(case, [])
    _reference, on_x = _outputs(case, [(_given(case)[3],)])
    right = right_numbers(model, seed)
    return {
        "exchanged": (right[1], right[0]),
        "swapped": (sqnr(one, reference), sqnr(other, reference)),
        "not-calibrated": (sqnr(reference, bare[0]), sqnr(reference, bare[1])),
        "calibrated-on-x": (sqnr(reference, on_x[0]), sqnr(reference, on_x[1])),
        "not-converted": (math.inf, math.inf),
        "ratio": (10 ** (right[0] / 10), 10 ** (right[1] / 10)),
        "against-each-other": (sqnr(one, other), sqnr(other, one)),
    }


def _close(said: float, wanted: float) -> bool:
    return said == wanted or abs(said - wanted) <= TOLERANCE


def _all_close(said: list[float], wanted: tuple[float, float]) -> bool:
    close = 1e-3 if max(abs(w) for w in wanted) > 1000 and not math.isinf(wanted[0]) else None
    if close:
        return all(abs(a - b) <= close * abs(b) for a, b in zip(said, wanted, strict=True))
    return all(_close(a, b) for a, b in zip(said, wanted, strict=True))
