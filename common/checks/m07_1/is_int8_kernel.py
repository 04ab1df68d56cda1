"""Which names of a profile are kernels that compute with integers?"""

from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder


class IsInt8Kernel(Exercise):
    """is_int8_kernel(names): for each name of an op, whether it computes with integers of 8 bits."""

    id = "m07_1.is_int8_kernel"
    kind = "practice"
    minutes = 10
    criteria = {"integer kernels": 1, "all others": 1}
    must_return = True
    parameters = ("names",)
    not_allowed = ("computes_in_int8",)
    hints = (
        "A name has two parts, `library::op`. Which libraries of the table compute with integers?",
        "`library, op = name.split('::')`. Two libraries, and one op of aten; but in the two libraries there are ops that "
        "only pack a weight.",
        "True if (the library is onednn or quantized, and 'pack' is not in the op) or the name is aten::_int_mm.",
    )
    misconceptions = {
        "quant-in-name": "`quantized_decomposed` is the library of quantize and dequantize: it rounds, clamps and casts. The "
        "convolution between them is computed by somebody else.",
        "backend-is-integer": "oneDNN computes fp32 convolutions as well; `mkldnn` in a name says whose kernel it is, "
        "not in which type.",
        "prepack": "Packing brings a weight into the order that the kernel wants, and unpacking brings it back. Neither "
        "multiplies anything.",
        "conversion": "Turning floats into integers, or integers into floats, is work *around* a kernel.",
        "one-library": "Integer kernels come from more than one library: oneDNN's, those of the engines (`quantized::`), and "
        "torch's own int8 matrix product.",
        "plain-op": "A plain aten op such as add or mul computes in the type of its inputs. Nothing in its name says int8.",
    }
    public_cases = (
        Case(
            names=[
                "onednn::qconv_pointwise",
                "aten::mkldnn_convolution",
                "quantized_decomposed::quantize_per_tensor",
                "quantized::linear_relu",
                "quantized::linear_prepack",
                "aten::quantize_per_tensor",
                "aten::_int_mm",
                "aten::add",
            ]
        ),
        Case(
            names=[
                "aten::addmm",
                "onednn::qconv_prepack",
                "quantized::add",
                "mkldnn::_convolution_pointwise",
                "quantized::conv2d_unpack",
            ]
        ),
    )
    facts = {"answers": {"anyOf": [{"type": "null"}, {"type": "array", "maxItems": 100, "items": {"type": "boolean"}}]}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        returned = ev.call(answer, list(case.names))
        with ev.student("the answers were read"):
            values = returned.tolist() if hasattr(returned, "tolist") else returned
            answers = [*values] if isinstance(values, (list, tuple)) else None
            good = answers is not None and all(isinstance(a, bool) for a in answers)
        ev.fact("answers", answers[:100] if good and answers is not None else None)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        from common.profiling import computes_in_int8

        said = evidence.facts["answers"]
        if said is None or len(said) != len(case.names):
            symptom = "What is returned is not a list of True or False, one for each name."
            detail = "" if said is None else f"{len(case.names)} names, and {len(said)} answers"
            yield Finding(None, False, "form", symptom, "", detail)
            return
        pairs = list(zip(case.names, said, strict=True))
        missed = [name for name, answer in pairs if computes_in_int8(name) and not answer]
        extra = [name for name, answer in pairs if answer and not computes_in_int8(name)]
        if missed:
            told = "A kernel that computes with integers is not recognized."
            yield self.failed("integer kernels", "one-library", told, detail=f"it is {missed[0]}")
        else:
            yield self.passed("integer kernels")
        if not extra:
            yield self.passed("all others")
        for kind in dict.fromkeys(_kind(name) for name in extra):
            name = next(n for n in extra if _kind(n) == kind)
            symptom = "An op that does not compute with integers is taken for one that does."
            yield self.failed("all others", kind, symptom, detail=f"it is {name}")


def _kind(name: str) -> str:
    library, _colons, op = name.partition("::")
    if library == "quantized_decomposed":
        return "quant-in-name"
    if "pack" in op:
        return "prepack"
    if "mkldnn" in name:
        return "backend-is-integer"
    return "conversion" if "quantize" in op or op == "int_repr" else "plain-op"
