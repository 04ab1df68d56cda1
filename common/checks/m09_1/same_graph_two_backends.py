"""One Q/DQ graph on several backends: how far they are from it, and from each other."""

import math
from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

if TYPE_CHECKING:
    import torch

REFERENCE = "Q/DQ"


class SameGraphTwoBackends(Exercise):
    """same_graph_two_backends(qdq, x, outputs): distances in steps between each two of a Q/DQ graph and its backends."""

    id = "m09_1.same_graph_two_backends"
    kind = "practice"
    minutes = 10
    criteria = {"pairs": 1, "steps": 3}
    parameters = ("qdq", "x", "outputs")
    must_return = True
    not_allowed = ("distance",)
    hints = (
        "Put the Q/DQ graph's own output beside the others, under the name 'Q/DQ', and leave out what is None. Then take "
        "each two of them: `itertools.combinations`.",
        "`output_step(qdq)` is the step of the output.",
        "`((a - b) / step).round().abs().max()` is the distance of two outputs; make it a plain int.",
    )
    misconceptions = {
        "reference-only": "Two backends that are each one step from the Q/DQ graph can be none or two steps from each "
        "other. Only measuring tells.",
        "missing-backend": "A backend that a machine lacks gives no output. That is a fact to leave out, and no error.",
        "assumed": "How far two backends are apart does not follow from how far each is from the Q/DQ graph: they may leave "
        "it in the same direction, or in opposite ones.",
        "truncates": "A distance of one step is often 0.999999 in floating point. `int()` cuts that off to 0; round first.",
        "other-step": "Each place of the graph has a scale of its own. What counts is the scale of the output.",
        "not-in-steps": "A difference of 0.01 can be one step or a hundred. Divided by the step it says how many integers "
        "lie between.",
        "average": "Most values agree, so the average hides the few that do not. Ask for the largest.",
        "signed": "A distance has no sign: without `abs` only differences in one direction are seen.",
    }
    public_cases = (
        Case(model="conv_relu", backends=[["A", 2, 1], ["B", -2, 2]]),
        Case(model="residual", backends=[["fast", 3, 3], ["absent", None, 0], ["small", 2, 3]], seed=1),
    )
    facts = {
        "pairs": {
            "type": ["array", "null"],
            "maxItems": 50,
            "items": {
                "type": "array",
                "prefixItems": [{"type": "string"}, {"type": "string"}, NUMBER],
                "minItems": 3,
                "maxItems": 3,
            },
        }
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        gm, x = quantized(case), _input(case)
        said = ev.call(answer, gm, x, _outputs(case))
        ev.fact("pairs", _plain(said))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if any(shift is None for _name, shift, _seed in case.backends) and "NoneType" in exception.get("message", ""):
            text = "The answer raises when a backend has no output."
            yield self.failed("pairs", "missing-backend", text)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        raw = evidence.facts["pairs"]
        outputs = {REFERENCE: _reference(case)} | {k: v for k, v in _outputs(case).items() if v is not None}
        wanted = {frozenset(pair) for pair in combinations(outputs, 2)}
        if raw is None or len({frozenset(p[:2]) for p in raw}) != len(raw):
            yield self.failed("pairs", None, "What is returned is not a dict from pairs of names to numbers.")
            return
        said = {frozenset(p[:2]): float(p[2]) for p in raw}
        if set(said) != wanted:
            absent = {name for name, shift, _seed in case.backends if shift is None}
            if any(pair & absent for pair in said):
                yield self.failed("pairs", "missing-backend", "A backend that has no output is in the result.")
            elif set(said) == {pair for pair in wanted if REFERENCE in pair}:
                text = "The backends are compared with the Q/DQ graph only, and not with each other."
                yield self.failed("pairs", "reference-only", text)
            else:
                yield self.failed("pairs", None, "The pairs are not each two of the Q/DQ graph and its backends.")
            return
        yield self.passed("pairs")
        ways = _ways(case, outputs)
        if said == ways["truth"]:
            yield self.passed("steps")
            return
        kind, symptom = _why(said, ways)
        readable = {" / ".join(sorted(pair)): n for pair, n in ways["truth"].items()}
        yield self.failed("steps", kind, symptom, detail=f"expected: {readable}")


def _plain(said: Any) -> list[Any] | None:
    if not isinstance(said, dict) or len(said) > 50:
        return None
    found = []
    for key, value in said.items():
        names = list(key) if isinstance(key, (tuple, list, frozenset)) else []
        if len(names) != 2 or not all(isinstance(n, str) for n in names):
            return None
        try:
            found.append([names[0][:50], names[1][:50], float(value)])
        except (TypeError, ValueError, RuntimeError, OverflowError):
            return None
    return found


def _input(case: Case) -> "torch.Tensor":
    from common.models import example_inputs

    return example_inputs(batch=4, seed=case.seed + 1)[0]


def _reference(case: Case) -> "torch.Tensor":
    import torch

    with torch.no_grad():
        return quantized(case)(_input(case))


def _outputs(case: Case) -> "dict[str, torch.Tensor | None]":
    """Outputs as backends give them: some values are moved by up to `shift` steps, a little off the grid."""
    import torch

    from common.backends.comparison import output_step

    reference, step = _reference(case), output_step(quantized(case))
    found: dict[str, torch.Tensor | None] = {}
    for name, shift, seed in case.backends:
        if shift is None:
            found[name] = None
            continue
        moved = torch.zeros_like(reference)
        generator = torch.Generator().manual_seed(seed)
        places = torch.randperm(moved.numel(), generator=generator)[:20]
        moved.view(-1)[places] = float(shift)
        moved.view(-1)[places[1:8]] = math.copysign(1.0, shift)
        found[name] = reference + moved * step * (1 - 1e-4)
    return found


def _ways(case: Case, outputs: "dict[str, torch.Tensor]") -> dict[str, dict[frozenset[str], float]]:
    from common.backends.comparison import output_step
    from common.graph_utils import qdq_nodes

    gm = quantized(case)
    first: Any = next(n for n in qdq_nodes(gm) if "quantize_per_tensor" in str(n.target))
    step, other = output_step(gm), float(first.args[1])
    pairs = list(combinations(outputs, 2))
    apart = {frozenset(p): (outputs[p[0]] - outputs[p[1]]).double() for p in pairs}
    truth = {p: float((d / step).round().abs().max()) for p, d in apart.items()}

    def from_reference(both: frozenset[str], combine: Any) -> float:
        if REFERENCE in both:
            return truth[both]
        return float(combine([truth[frozenset((REFERENCE, name))] for name in both]))

    return {
        "truth": truth,
        "truncates": {p: float((d / step).trunc().abs().max()) for p, d in apart.items()},
        "other-step": {p: float((d / other).round().abs().max()) for p, d in apart.items()},
        "not-in-steps": {p: float(d.abs().max()) for p, d in apart.items()},
        "average": {p: float((d / step).abs().mean()) for p, d in apart.items()},
        "average, rounded": {p: float((d / step).abs().mean().round()) for p, d in apart.items()},
        "signed": {p: float((d / step).round().max()) for p, d in apart.items()},
        "signed, other way": {p: float((-d / step).round().max()) for p, d in apart.items()},
        "assumed, added": {p: from_reference(p, sum) for p in truth},
        "assumed, larger": {p: from_reference(p, max) for p in truth},
        "assumed, subtracted": {p: from_reference(p, lambda n: abs(n[0] - n[1])) for p in truth},
    }


def _why(said: dict[frozenset[str], float], ways: dict[str, dict[frozenset[str], float]]) -> tuple[str | None, str]:
    symptoms = {
        "truncates": "A distance of nearly a whole number of steps is cut off.",
        "other-step": "The differences are divided by the scale of another place than the output.",
        "not-in-steps": "The differences are not in quantization steps.",
        "average": "An average over the values is taken, and not the largest distance.",
        "signed": "Differences in one direction are not seen.",
        "assumed": "The distance between two backends is derived from their distances to the Q/DQ graph.",
    }
    for key, way in ways.items():
        kind = key.partition(",")[0]
        close = all(math.isclose(said[p], way[p], rel_tol=1e-3, abs_tol=1e-9) for p in way)
        if kind in symptoms and way != ways["truth"] and close:
            return kind, symptoms[kind]
    return None, "The numbers are not the largest distances in steps."
