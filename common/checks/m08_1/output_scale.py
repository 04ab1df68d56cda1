"""The scale that differences at the output are measured in."""

from collections.abc import Iterator
from typing import Any

from common.checks.m08_1._files import as_number, quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, Evidence, Recorder


class OutputScale(Exercise):
    """output_scale(qdq): the scale of a Q/DQ graph's output, or None where the output is not quantized."""

    id = "m08_1.output_scale"
    kind = "practice"
    minutes = 8
    criteria = {"scale": 1, "not quantized": 1}
    parameters = ("qdq",)
    hints = (
        "Begin at the end: the output node has one argument, and in it stands what is returned.",
        "`node.args[0]` of the output node is a tuple (or list) of nodes. Is the one in it a dequantize?",
        "`short(node.target) == 'dequantize_per_tensor'`; its arguments are the input, the scale, the zero point, …",
    )
    misconceptions = {
        "input-scale": "Each quantized tensor has a scale of its own. The outputs differ by steps of the output's scale.",
        "last-in-list": "The last dequantize of the list need not be what is returned: an op can come behind it, and what "
        "that op gives lies on no grid. Start from the output node and look at what it returns.",
        "zero-point": "The arguments of a dequantize are: what it reads, the scale, the zero point, the range.",
    }
    public_cases = (Case(model="conv_relu"), Case(model="up_conv"))
    facts = {"answer": {"anyOf": [NUMBER, {"type": "null"}]}, "none": {"type": "boolean"}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, quantized(case))
        ev.fact("answer", as_number(returned))
        ev.fact("none", returned is None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        from common.graph_utils import qdq_nodes, short
        from common.lowering import qparams

        gm = quantized(case)
        (output,) = (n for n in gm.graph.nodes if n.op == "output")
        last = output.args[0][0] if isinstance(output.args[0], (tuple, list)) else output.args[0]
        wanted = qparams(last)[0] if short(last.target) == "dequantize_per_tensor" else None
        said, none = evidence.facts["answer"], evidence.facts["none"]
        if said is None and not none:
            yield Finding(None, False, "form", "What is returned is neither a number nor None.")
            return
        mine, other = ("not quantized", "scale") if wanted is None else ("scale", "not quantized")
        yield self.passed(other)
        right = none if wanted is None else said is not None and abs(said - wanted) <= 1e-6 * wanted
        if right:
            yield self.passed(mine)
            return
        per_tensor: list[Any] = [n for n in qdq_nodes(gm) if "per_tensor" in str(n.target)]
        detail = f"wanted: {wanted}; yours: {said}"
        if said is None:
            yield self.failed(mine, None, "None is returned, and the output is quantized.", detail=detail)
            return
        scales = [float(qparams(n)[0]) for n in per_tensor]
        if wanted is None:
            kind = "last-in-list" if abs(said - scales[-1]) <= 1e-6 * scales[-1] else None
            yield self.failed(mine, kind, "The output is not quantized, and a scale is returned.", detail=detail)
            return
        if abs(said - scales[0]) <= 1e-6 * scales[0]:
            kind = "input-scale"
        else:
            kind = "zero-point" if said == qparams(last)[1] else None
        yield self.failed(mine, kind, "What is returned is not the scale of the output.", detail=detail)
