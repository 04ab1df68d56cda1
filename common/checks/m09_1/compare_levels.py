"""How far ONNX Runtime's levels of optimization are apart, in quantization steps."""

import math
import shutil
import tempfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from common.checks.m09_1._models import model_bytes, model_input
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder

LEVELS = ("basic", "extended", "all")


class CompareLevels(Exercise):
    """compare_levels(path, x): how many steps each level of optimization is away from none at all."""

    id = "m09_1.compare_levels"
    kind = "practice"
    minutes = 15
    criteria = {"levels": 1, "steps": 3}
    parameters = ("path", "x")
    needs = ("onnx", "onnxscript", "onnxruntime")
    must_return = True
    hints = (
        "`run_file(path, x, level)` runs the file at a level. One run at 'none' is what the three others are compared with.",
        "The step is the scale of the output: the second input of the DequantizeLinear node whose output is the output of "
        "the graph. Its number stands among `model.graph.initializer`; `onnx.numpy_helper.to_array` reads it.",
        "Divide the differences by the step, round, and take the largest absolute value.",
    )
    misconceptions = {
        "expects-equality": "Optimizing changes how something is computed, and rounding follows: at the first level biases "
        "are rounded to integers already. Measure, and do not assume equality. And round: `int()` makes 0 of 0.9999998.",
        "truncates": "A distance of two steps is often 1.999999 in floating point. `int()` cuts that off to 1; round first.",
        "other-step": "Each place of the graph has a scale of its own. What counts is the scale of the place where the two "
        "outputs are compared: the output.",
        "not-in-steps": "A difference of 0.01 can be one step or a hundred. Divided by the step it says how many integers "
        "lie between.",
        "counts-values": "How many values differ, and how far they differ, are two questions. Here it is the second.",
        "average": "Most values agree, so the average hides the few that do not. Ask for the largest.",
        "neighbours": "Each level is to be compared with no optimization at all, and not with the level before it.",
    }
    public_cases = (Case(form="chain"), Case(form="one", seed=2))
    facts = {"answer": {"type": ["object", "null"], "additionalProperties": NUMBER, "maxProperties": 20}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        folder = Path(tempfile.mkdtemp(prefix="pt2e-kit-"))
        try:
            path = folder / "net.onnx"
            path.write_bytes(model_bytes(case))
            said = ev.call(answer, str(path), model_input(case))
            ev.fact("answer", _plain(said))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said = evidence.facts["answer"]
        if said is None or set(said) != set(LEVELS):
            words = ", ".join(f'"{level}"' for level in LEVELS)
            text = f"What is returned is not a dict with one number for each of {words}."
            yield self.failed("levels", None, text)
            return
        yield self.passed("levels")
        ways = _ways(case.form, case.seed)
        if all(said[level] == ways["truth"][level] for level in LEVELS):
            yield self.passed("steps")
            return
        kind, symptom = _why(said, ways)
        yield self.failed("steps", kind, symptom, detail=f"on this machine: {ways['truth']}; yours: {said}")


def _plain(said: Any) -> dict[str, float] | None:
    if not isinstance(said, dict) or len(said) > 20:
        return None
    found = {}
    for key, value in said.items():
        try:
            found[str(key)[:50]] = float(value)
        except (TypeError, ValueError, RuntimeError, OverflowError):
            return None
    return found


def _why(said: dict[str, float], ways: dict[str, dict[str, float]]) -> tuple[str | None, str]:
    symptoms = {
        "expects-equality": "A level is said to agree with no optimization, where values differ.",
        "truncates": "A distance of nearly a whole number of steps is cut off.",
        "other-step": "The differences are divided by the scale of another place than the output.",
        "not-in-steps": "The differences are not in quantization steps.",
        "counts-values": "The number of values that differ is returned, and not how far.",
        "average": "An average over the values is returned, and not the largest distance.",
        "neighbours": "Each level is compared with the one before.",
    }
    for key, way in ways.items():
        kind = key.partition(",")[0]
        close = all(math.isclose(said[level], way[level], rel_tol=1e-3, abs_tol=1e-9) for level in LEVELS)
        if kind in symptoms and close:
            return kind, symptoms[kind]
    return None, "The distances are not those between the outputs of the levels."


@lru_cache(maxsize=16)
def _ways(form: str, seed: int) -> dict[str, dict[str, float]]:
    """The distances on the machine that judges, and what wrong ways of measuring give. The models are our own."""
    import onnx
    from onnx import numpy_helper

    from common.backends.ort import run_file

    case = Case(form=form, seed=seed)
    with tempfile.TemporaryDirectory(prefix="pt2e-kit-") as folder:
        path = Path(folder, "net.onnx")
        path.write_bytes(model_bytes(case))
        outputs = {level: run_file(path, model_input(case), level).double() for level in ("none", *LEVELS)}
        graph = onnx.load(str(path)).graph
    constants = {t.name: float(numpy_helper.to_array(t)) for t in graph.initializer if not t.dims}
    first, last = (next(n for n in nodes if n.op_type == "DequantizeLinear" and n.input[1] in constants)
                   for nodes in (graph.node, list(graph.node)[::-1]))  # fmt: skip
    step, other = constants[last.input[1]], constants[first.input[1]]
    before = dict(zip(LEVELS, ("none", *LEVELS), strict=False))
    apart = {level: (outputs[level] - outputs["none"]).abs() for level in LEVELS}
    near = {level: (outputs[level] - outputs[before[level]]).abs() for level in LEVELS}
    return {
        "truth": {level: float((d / step).round().max()) for level, d in apart.items()},
        "expects-equality": dict.fromkeys(LEVELS, 0.0),
        "expects-equality, as a flag": {level: float(bool(d.any())) for level, d in apart.items()},
        "expects-equality, the other flag": {level: float(not d.any()) for level, d in apart.items()},
        "truncates": {level: float((d / step).trunc().max()) for level, d in apart.items()},
        "other-step": {level: float((d / other).round().max()) for level, d in apart.items()},
        "not-in-steps": {level: float(d.max()) for level, d in apart.items()},
        "counts-values": {level: float((d > step / 2).sum()) for level, d in apart.items()},
        "average": {level: float((d / step).mean()) for level, d in apart.items()},
        "neighbours": {level: float((d / step).round().max()) for level, d in near.items()},
    }
