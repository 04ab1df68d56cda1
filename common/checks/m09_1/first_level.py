"""A prediction: at which level ONNX Runtime's output differs for the first time."""

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

ANSWERS = ("basic", "extended", "all", "never")


class FirstLevel(Exercise):
    """first_level(): predict at which level of optimization the output differs for the first time."""

    id = "m09_1.first_level"
    kind = "prediction"
    minutes = 3
    criteria = {"level": 0}
    parameters = ()
    needs = ("onnx", "onnxscript", "onnxruntime")
    not_allowed = ("run_file", "InferenceSession", "compare_levels")
    hints = (
        "Which constants of the file are still fp32, and could be rounded?",
        "Weights are int8 in the file; biases are fp32. The first level already completes q/dq.",
    )
    misconceptions = {
        "when-integer": "Before any operator is integer, constants may be rounded: the first level makes integers of the "
        "fp32 biases.",
        "never": "An optimizer for quantized graphs may round what the file left in fp32: the biases, for one.",
    }
    public_cases = (Case(),)
    facts = {"answer": {"type": ["string", "null"]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        said = ev.call(answer)
        ev.fact("answer", said if isinstance(said, str) else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said = evidence.facts["answer"]
        if said not in ANSWERS:
            words = ", ".join(f'"{word}"' for word in ANSWERS)
            yield Finding("level", False, "form", f"What is returned is not one of {words}.")
        elif said == _first():
            yield self.passed("level")
        elif said == "never":
            yield self.failed("level", "never", "There is a level at which values differ.")
        else:
            yield self.failed("level", "when-integer", "It is not at this level that values differ for the first time.")


@cache
def _first() -> str:
    """Found out on this machine, with the model that stands for the net of the lesson."""
    from common.backends.ort import LEVELS, run_file
    from common.checks.m09_1._models import model_bytes, model_input

    case = Case(form="chain")
    with tempfile.TemporaryDirectory(prefix="pt2e-kit-") as folder:
        path = Path(folder, "net.onnx")
        path.write_bytes(model_bytes(case))
        outputs = {level: run_file(path, model_input(case), level) for level in LEVELS}
    differs = (level for level in list(LEVELS)[1:] if (outputs[level] != outputs["none"]).any())
    return next(differs, "never")
