"""A prediction: in which type are the results in a Q/DQ graph?"""

from collections.abc import Iterator
from typing import Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder

PLACES = (
    ("weight", "the constant that holds the weight"),
    ("dequantize", "the dequantize in front of conv2d"),
    ("conv2d", "conv2d"),
    ("relu", "relu"),
    ("quantize", "the quantize behind relu"),
    ("output", "the output of the graph"),
)
"""Criterion, and what is asked about, in the order of the prediction."""


class ResultTypes(Exercise):
    """result_types(): predict which results in a Q/DQ graph are integer."""

    id = "m07_0.result_types"
    kind = "prediction"
    minutes = 3
    parameters = ()
    criteria = {name: 0 for name, _what in PLACES}
    hints = (
        "A quantize gives integers, a dequantize gives floats. What can the op behind a dequantize read, then?",
        "convert_pt2e keeps the weight as it will be needed: already quantized, with a dequantize behind it.",
    )
    misconceptions = {
        "ops-are-integer": "Between dequantize and quantize everything is float: the op reads floats and gives floats. "
        "It is quantized in the sense that integers stand at both ends of it.",
        "weight-is-float": "Weights are quantized once, by convert_pt2e: the graph holds the integers.",
        "dequantize-is-integer": "Dequantize is the step from integers back to floats.",
        "quantize-is-float": "Quantize is the step from floats to integers. (A *fake quant* in training gives floats.)",
        "output-is-integer": "A quantized output is dequantized at the end: whoever calls the net gets floats.",
    }
    public_cases = (Case(model="conv_relu"),)
    facts = {"answer": {"type": "array", "maxItems": 20, "items": {}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        predicted = ev.call(answer)
        ev.fact("answer", list(predicted) if isinstance(predicted, (list, tuple)) else [])

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        said, truth = evidence.facts["answer"], _types(case)
        if len(said) != len(truth) or any(s not in ("int8", "fp32") for s in said):
            yield Finding(None, False, "form", f"The prediction is a list of {len(truth)} words, 'int8' or 'fp32'.")
            return
        kinds = {
            "weight": "weight-is-float",
            "dequantize": "dequantize-is-integer",
            "conv2d": "ops-are-integer",
            "relu": "ops-are-integer",
            "quantize": "quantize-is-float",
            "output": "output-is-integer",
        }
        for (criterion, what), mine, right in zip(PLACES, said, truth, strict=True):
            if mine == right:
                yield self.passed(criterion)
            else:
                yield self.failed(criterion, kinds[criterion], f"At “{what}” the type is another one.")


def _types(case: Case) -> list[str]:
    """Run the graph and see."""
    import torch
    from torch import fx

    from common.graph_utils import short
    from common.models import example_inputs

    gm, types = quantized(case), {}

    class Types(fx.Interpreter):
        def run_node(self, n: fx.Node) -> Any:
            result = super().run_node(n)
            types[n] = {torch.int8: "int8", torch.float32: "fp32"}.get(getattr(result, "dtype", None))  # type: ignore[arg-type]
            return result

    with torch.no_grad():
        output = Types(gm).run(*example_inputs())
    nodes: list[Any] = list(gm.graph.nodes)
    conv = next(n for n in nodes if short(n.target) == "conv2d")
    relu = next(iter(conv.users))
    quantize = next(iter(relu.users))
    weight = conv.args[1].args[0]
    (y,) = output if isinstance(output, tuple) else (output,)
    return [types[n] for n in (weight, conv.args[0], conv, relu, quantize)] + [
        "fp32" if y.is_floating_point() else "int8"
    ]
