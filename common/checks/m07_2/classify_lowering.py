"""What lowering makes of a graph on this machine: found out by running it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

if TYPE_CHECKING:
    import torch

_known: dict[str, tuple[str, str]] = {}
"""Lowering takes about a second: what came out of a case is kept."""

CLASSES = ("fp32", "decomposed only", "int8 and runs", "int8 but fails")


class ClassifyLowering(Exercise):
    """classify_lowering(gm, x): lower a graph, run it, and say which of four things came out."""

    id = "m07_2.classify_lowering"
    kind = "practice"
    minutes = 15
    criteria = {"int8 or not": 2, "which of the two": 2}
    parameters = ("gm", "x")
    not_allowed = ("try_lowering",)
    hints = (
        "Two questions decide. Are there integer ops in the lowered graph? If so: does it run? If not: are there still "
        "quantize and dequantize nodes?",
        "`int8_ops(lowered)` counts the integer ops, `qdq_nodes(lowered)` lists what is left of quantize and dequantize.",
        "Call `lowered(x)` inside `try: … except Exception:`. Which exception it is depends on the backend.",
    )
    misconceptions = {
        "never-runs-it": "An integer op in the graph says that a pattern fitted. Whether the kernel behind it takes "
        "these types is checked when it is called, and not before.",
        "does-not-catch": "That the lowered graph raises is one of the four results, and no accident: catch it.",
        "decides-by-type": "Which integer types a kernel takes differs from kernel to kernel. What holds for one op need "
        "not hold for the next: run it.",
        "any-backend-op": "oneDNN computes fp32 convolutions too (`mkldnn._convolution_pointwise`). A node from a "
        "backend's library need not be an integer op.",
        "looks-at-qdq-only": "Some q/dq nodes stay at the edges even when a backend's integer op has taken the place of "
        "the unit. Look for the integer ops first.",
        "qdq-is-fp32": "Without integer ops the computing is fp32, but a graph with q/dq nodes rounds all the same. "
        "The two results are not the same thing.",
    }
    public_cases = (Case(model="conv_relu"), Case(model="conv_relu", quantizer="x86", seed=1))
    facts = {"answer": {"type": ["string", "null"]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        said = ev.call(answer, quantized(case), _input(case))
        ev.fact("answer", said if isinstance(said, str) else None)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        truth, error = _truth(case)
        exception = evidence.exception or {}
        told = f"{exception.get('type')}: {exception.get('message', '')}"
        if truth == "int8 but fails" and error and told.startswith(error):
            symptom = "The lowered graph raised, and so did the answer."
            yield self.failed("which of the two", "does-not-catch", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, (truth, _error) = evidence.facts["answer"], _truth(case)
        if said not in CLASSES:
            words = ", ".join(f'"{c}"' for c in CLASSES)
            yield Finding(None, False, "form", f"What is returned is not one of {words}.")
            return
        detail = f"on this machine: {truth}; yours: {said}"
        if said.startswith("int8") != truth.startswith("int8"):
            if said.startswith("int8"):
                kind = "any-backend-op"
                symptom = "A graph without integer ops is said to be int8."
            else:
                kind, symptom = "looks-at-qdq-only", "A graph with integer ops is said to have none."
            yield self.failed("int8 or not", kind, symptom, detail=detail)
            return
        yield self.passed("int8 or not")
        if said == truth:
            yield self.passed("which of the two")
            return
        kinds = {
            "int8 but fails": ("never-runs-it", "A lowered graph that does not run is said to run."),
            "int8 and runs": ("decides-by-type", "A lowered graph that runs is said to fail."),
            "decomposed only": ("qdq-is-fp32", "A graph that still quantizes and dequantizes is called fp32."),
            "fp32": (None, "A graph without any q/dq is not called fp32."),
        }
        kind, symptom = kinds[truth]
        yield self.failed("which of the two", kind, symptom, detail=detail)


def _input(case: Case) -> "torch.Tensor":
    from common.models import example_inputs

    return example_inputs(batch=2, seed=case.seed + 1)[0]


def _truth(case: Case) -> tuple[str, str]:
    """What came out on the machine that judges, and what the lowered graph raised."""
    if case.digest not in _known:
        _known[case.digest] = _find_out(case)
    return _known[case.digest]


def _find_out(case: Case) -> tuple[str, str]:
    from common.lowering import try_lowering

    record = try_lowering(quantized(case), (_input(case),))
    if record.int8_ops:
        return ("int8 and runs" if record.runs else "int8 but fails"), record.error
    return ("decomposed only" if record.qdq_after else "fp32"), record.error
