"""What ONNX Runtime makes of a file: how many of its multiplying operators become integer."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from operator import index
from pathlib import Path
from typing import Any

from common.checks.m09_1._models import model_bytes
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

_known: dict[str, dict[str, dict[str, int]]] = {}


class FusedReport(Exercise):
    """fused_report(path): count the operators that ONNX Runtime computes in integers, and those that stay fp32."""

    id = "m09_1.fused_report"
    kind = "core"
    minutes = 15
    criteria = {"integer": 2, "fp32": 1, "file untouched": 1}
    parameters = ("path",)
    needs = ("onnx", "onnxscript", "onnxruntime")
    must_return = True
    not_allowed = ("optimized",)
    hints = (
        "The file says what was exported. What the runtime computes with exists only after its optimizer has run.",
        "`session_options('extended')` has an attribute `optimized_model_filepath`: set it before the session is made, and "
        "the session writes what became of the model.",
        "Count `node.op_type` over `onnx.load(new_path).graph.node`: those in INTEGER_OPS, and those in FLOAT_OPS.",
    )
    misconceptions = {
        "file-before": "In a QDQ file each conv is an fp32 operator between DequantizeLinear and QuantizeLinear. Only "
        "the runtime's optimizer puts one integer operator in the place of the three.",
        "qdq-is-integer": "QuantizeLinear and DequantizeLinear lead to integers and back. They multiply no weights: where "
        "they are left over, something between them is computed in fp32.",
        "names": "The name of a node is free text that somebody gave it. What it computes is its `op_type`.",
        "not-multiplying": "QLinearAdd and other integer operators multiply no weights. The question is what became of "
        "the convs and linears; `INTEGER_OPS` lists what they can become.",
        "linear-missed": "The integer operator for a linear layer, `QGemm`, is not a standard operator of ONNX; it is "
        "one of ONNX Runtime's own (domain `com.microsoft`).",
        "file-changed": "`optimized_model_filepath` names a new file. The file that was given belongs to the caller.",
    }
    public_cases = (Case(form="chain"), Case(form="middle", seed=1))
    facts = {
        "integer": {"type": ["integer", "null"]},
        "fp32": {"type": ["integer", "null"]},
        "digest": {"type": ["string", "null"]},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        folder = Path(tempfile.mkdtemp(prefix="pt2e-kit-"))
        try:
            path = folder / "net.onnx"
            path.write_bytes(model_bytes(case))
            said = ev.call(answer, str(path))
            for name in ("integer", "fp32"):
                ev.fact(name, _whole(said.get(name) if isinstance(said, dict) else None))
            ev.fact("digest", hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said = {name: evidence.facts[name] for name in ("integer", "fp32")}
        counts = _counts(case)
        truth = counts["truth"]
        if None in said.values():
            text = "What is returned is not a dict with whole numbers for 'integer' and 'fp32'."
            yield Finding(None, False, "form", text)
            return
        detail = f"on this machine: {truth}; yours: {said}"
        wrong = [name for name in said if said[name] != truth[name]]
        for name in said:
            if name not in wrong:
                yield self.passed(name)
        if wrong:
            kind, symptom = self._why(said, counts)
            for name in wrong:
                yield self.failed(name, kind, symptom, detail=detail)
        if evidence.facts["digest"] == hashlib.sha256(model_bytes(case)).hexdigest():
            yield self.passed("file untouched")
        else:
            yield self.failed("file untouched", "file-changed", "The file that was given is not what it was before.")

    def _why(self, said: dict[str, int], counts: dict[str, dict[str, int]]) -> tuple[str | None, str]:
        if said == counts["before"]:
            return "file-before", "The numbers are those of the file before ONNX Runtime has optimized it."
        for name in ("names before", "names after"):
            if said == counts[name]:
                return "names", "Nodes are counted by their names."
        if said["integer"] == counts["with q/dq"]["integer"]:
            return "qdq-is-integer", "QuantizeLinear and DequantizeLinear are counted as integer operators."
        if said["integer"] == counts["any QLinear"]["integer"] != counts["truth"]["integer"]:
            return "not-multiplying", "An integer operator that multiplies no weights is counted."
        if said["integer"] == counts["standard only"]["integer"] != counts["truth"]["integer"]:
            return "linear-missed", "An integer operator of ONNX Runtime's own is not counted."
        return None, "The numbers are not those of the optimized model."


def _whole(value: Any) -> int | None:
    """A whole number of a plausible size, of whatever type, else None."""
    try:
        number = None if isinstance(value, bool) else index(value)
    except TypeError:
        return None
    return number if number is not None and abs(number) < 10**9 else None


def _counts(case: Case) -> dict[str, dict[str, int]]:
    """What is right on the machine that judges, and what wrong ways of counting give. The models are our own."""
    if case.digest not in _known:
        import onnx

        from common.backends.ort import FLOAT_OPS, INTEGER_OPS, optimized

        with tempfile.TemporaryDirectory(prefix="pt2e-kit-") as folder:
            path = Path(folder, "net.onnx")
            path.write_bytes(model_bytes(case))
            before = list(onnx.load(str(path)).graph.node)
            after = list(onnx.load(str(optimized(path, Path(folder, "optimized.onnx")))).graph.node)

        def count(words: list[str], integer: tuple[str, ...]) -> dict[str, int]:
            return {"integer": sum(w in integer for w in words), "fp32": sum(w in FLOAT_OPS for w in words)}

        kinds = [n.op_type for n in after]
        qdq = ("QuantizeLinear", "DequantizeLinear")
        _known[case.digest] = {
            "truth": count(kinds, INTEGER_OPS),
            "before": count([n.op_type for n in before], INTEGER_OPS),
            "with q/dq": count(kinds, (*INTEGER_OPS, *qdq)),
            "any QLinear": {"integer": sum(k.startswith("QLinear") or k in INTEGER_OPS for k in kinds)},
            "standard only": count(kinds, ("QLinearConv", "QLinearMatMul")),
            "names before": count([n.name.partition("_")[0] for n in before], INTEGER_OPS),
            "names after": count([n.name.partition("_")[0] for n in after], INTEGER_OPS),
        }
    return _known[case.digest]
