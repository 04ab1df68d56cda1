"""A prediction: which file of a small net is smaller."""

from collections.abc import Iterator
from typing import Any

from common.checks.m08_1._files import file_size
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder


class SmallerFile(Exercise):
    """smaller_file(): which .pte file of `conv_relu` is smaller, "fp32" or "int8"."""

    id = "m08_1.smaller_file"
    kind = "prediction"
    parameters = ()
    minutes = 2
    criteria = {"prediction": 0}
    needs = ("executorch",)
    hints = ("Count the weights: 8 channels, each with 3 × 3 × 3 numbers. What does the int8 file hold besides?",)
    misconceptions = {
        "always-smaller": "int8 takes three bytes off each weight, and this net has 216 of them. What is added, scales for "
        "each channel and the nodes for quantize and dequantize, is more than that.",
    }
    public_cases = (Case(model="conv_relu"),)
    facts = {"answer": {"type": ["string", "null"]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        said = ev.call(answer)
        ev.fact("answer", said if isinstance(said, str) else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        from common.backends.xnnpack import quiet_native

        said = evidence.facts["answer"]
        if said not in ("fp32", "int8"):
            yield Finding(None, False, "form", 'What is returned is neither "fp32" nor "int8".')
            return
        with quiet_native():
            fp32, int8 = (file_size(c) for c in (Case(**case, fp32=True), case))
        right = "fp32" if fp32 < int8 else "int8"
        if said == right:
            yield self.passed("prediction")
        else:
            kind = "always-smaller" if said == "int8" else None
            yield self.failed("prediction", kind, "It is the other one.")
