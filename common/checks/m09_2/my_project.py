"""An open project: two files, some inputs and a number. Everything that earns points is measured again from the files."""

import hashlib
import math
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import NUMBER, TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

    from common.backends.onnx_file import OnnxRun

MAX_FILE = 3 * 2**19
MAX_INPUT_BYTES = 2**19
LEAST_INPUTS = 8
MULTIPLYING = ("Conv", "ConvTranspose", "Gemm", "MatMul")
USED, CUT = 0.1, 0.1
"""Of its range an activation should use a tenth at least (three of four do), and at most a tenth of its values may lie
outside (nowhere more)."""
LEAST_DB, TOLERANCE_DB = 10.0, 1.0
FAR = 0.05
"""The share of values that a backend may have more than one step away."""

_known: dict[str, "OnnxRun"] = {}


class MyProject(Exercise):
    """my_project(): the files, inputs and the SQNR of a net of your own, quantized through all steps."""

    id = "m09_2.my_project"
    kind = "core"
    minutes = 120
    criteria = {
        "exported": 1,
        "quantized": 1,
        "calibrated": 1,
        "SQNR reported": 1,
        "a backend runs it": 2,
    }
    parameters = ()
    must_return = True
    needs = ("onnx", "onnxscript", "onnxruntime")
    hints = (
        "Do one step in each cell above and look at what you have, then let `my_project` only put together what is there: "
        "two paths, a tensor and a number.",
        "The five steps: `export_module`, `prepare_pt2e`, some batches through the prepared graph, `convert_pt2e`, and "
        "`write_onnx` for the exported graph and for the converted one.",
        "The SQNR is that of the Q/DQ graph against the exported fp32 graph, on exactly the inputs that you hand in: "
        "`sqnr(fp32(inputs), qdq(inputs))`.",
    )
    misconceptions = {
        "course-net": "Its weights have the shapes of a net of this course. Take other layers or other sizes, so that what "
        "comes out is your finding and not ours.",
        "fixed-batch": "A file that takes one batch size only cannot be run on other inputs. `write_onnx` leaves the batch free.",
        "nothing-quantized": "An fp32 file with another name is not quantized: there must be QuantizeLinear and "
        "DequantizeLinear around int8 weights.",
        "another-net": "Both files must come from the same net: one from the graph before prepare, one from the graph after "
        "convert.",
        "not-calibrated": "Without data, or with data of another kind, the observers' ranges do not fit: most of the integers "
        "are never used, or many values are cut off. Let batches like your inputs run through the prepared graph.",
        "half-the-db": "SQNR compares powers: 10·log10 of squares, or 20·log10 of amplitudes. 10·log10 of amplitudes is half.",
        "other-number": "The number must be measured on the inputs that are handed in, with the two nets of the two files.",
        "only-these-inputs": "On inputs between yours the two nets are much further apart than on yours. Calibrate on more, "
        "and more different, inputs.",
        "output-not-quantized": "Without a quantized output there are no steps to count. Let the net end in a layer that the "
        "quantizer quantizes, such as a linear.",
        "backend-differs": "A backend that is more than one step away in many values computes something else. Look with "
        "lesson m09_1 at which level it begins.",
    }
    public_cases = (Case(inputs="as handed in"),)
    facts = {
        "fp32": TENSOR,
        "quantized": TENSOR,
        "inputs": TENSOR,
        "sqnr": {"anyOf": [NUMBER, {"type": "null"}]},
        "trouble": {"type": "array", "items": {"type": "string"}, "maxItems": 10},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        said = ev.call(answer)
        said = said if isinstance(said, dict) else {}
        trouble = []
        for name in ("fp32", "quantized"):
            data = _file(said.get(name))
            if isinstance(data, str):
                trouble.append(f"{name}: {data}")
            else:
                ev.tensor(name, torch.frombuffer(bytearray(data), dtype=torch.uint8))
        inputs = said.get("inputs")
        if not isinstance(inputs, torch.Tensor) or inputs.dtype != torch.float32 or inputs.dim() < 2:
            trouble.append("inputs: not a float32 tensor with a batch dimension")
        elif inputs.numel() * 4 > MAX_INPUT_BYTES or len(inputs) < LEAST_INPUTS:
            trouble.append(f"inputs: fewer than {LEAST_INPUTS}, or larger than {MAX_INPUT_BYTES // 2**10} KiB")
        else:
            ev.tensor("inputs", inputs)
        value = said.get("sqnr")
        try:
            ev.fact("sqnr", None if value is None or isinstance(value, bool) else float(value))
        except (TypeError, ValueError, RuntimeError, OverflowError):
            ev.fact("sqnr", None)
        ev.fact("trouble", trouble)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        trouble = evidence.facts["trouble"]
        whole = all(evidence.has(name) for name in ("fp32", "quantized", "inputs"))
        inputs = evidence.tensor("inputs") if whole else None
        if inputs is None or str(inputs.dtype) != "torch.float32" or inputs.dim() < 2 or not inputs.isfinite().all():
            text = "Something is missing in what is returned: two files, at least 8 inputs, and a number."
            yield Finding(None, False, "form", text, detail="; ".join(trouble))
            return
        used = inputs if case.inputs == "as handed in" else _between(inputs, case.seed)
        plain = _run(evidence.tensor("fp32"), used, ("none",), activations=False)
        quantized = _run(evidence.tensor("quantized"), used, ("none", "all"), activations=True)
        yield self._exported(plain)
        yield self._quantized(plain, quantized)
        yield self._calibrated(quantized)
        if plain.done and quantized.done and plain.outputs["none"][0].shape == quantized.outputs["none"][0].shape:
            yield self._reported(plain, quantized, evidence.facts["sqnr"], handed_in=used is inputs)
            yield self._backend(quantized)

    def _exported(self, plain: "OnnxRun") -> Finding:
        criterion = "exported"
        if not plain.done:
            text = "The fp32 file does not run on the inputs."
            return self.failed(criterion, None, text, detail=plain.error)
        if any("Quantize" in name or "::" in name for name in plain.ops):
            return self.failed(criterion, None, "The fp32 file holds q/dq, or operators that are not standard.")
        if sum(plain.ops.get(name, 0) for name in MULTIPLYING) < 2:
            text = "The net has fewer than two layers with weights (conv, linear)."
            return self.failed(criterion, None, text)
        if not _free(plain):
            return self.failed(criterion, "fixed-batch", "The fp32 file has a fixed batch.")
        if _shapes(plain.shapes) in _course_nets():
            return self.failed(criterion, "course-net", "This is a net of the course.")
        return self.passed(criterion)

    def _quantized(self, plain: "OnnxRun", quantized: "OnnxRun") -> Finding:
        criterion = "quantized"
        if not quantized.done:
            text = "The quantized file does not run on the inputs."
            return self.failed(criterion, None, text, detail=quantized.error)
        if not quantized.int8 or not quantized.ops.get("QuantizeLinear"):
            text = "There are no int8 weights, or no QuantizeLinear, in the quantized file."
            return self.failed(criterion, "nothing-quantized", text)
        if not _free(quantized):
            return self.failed(criterion, "fixed-batch", "The quantized file has a fixed batch.")
        weights = [tuple(t.shape) for t in quantized.int8] + list(quantized.shapes)
        if plain.done and _shapes(weights) != _shapes(plain.shapes):
            text = "The two files do not have weights of the same shapes."
            return self.failed(criterion, "another-net", text)
        if 2 * len(quantized.int8) < len(weights):
            text = "Less than half of the weights are int8."
            return self.failed(criterion, "nothing-quantized", text)
        return self.passed(criterion)

    def _calibrated(self, quantized: "OnnxRun") -> Finding:
        places = quantized.activations
        enough = sum(used >= USED for used, _cut in places)
        worst, cut_off = min((u for u, _c in places), default=0.0), max((c for _u, c in places), default=1.0)
        if places and 4 * enough >= 3 * len(places) and cut_off <= CUT:
            return self.passed("calibrated")
        return self.failed(
            "calibrated",
            "not-calibrated",
            "The ranges of activations do not fit to what flows through the net.",
            detail=f"the least used range: {worst:.1%}; the most values cut off: {cut_off:.1%}",
        )

    def _reported(self, plain: "OnnxRun", quantized: "OnnxRun", said: Any, *, handed_in: bool) -> Finding:
        from common.graph_utils import sqnr

        criterion = "SQNR reported"
        db = sqnr(plain.outputs["none"][0], quantized.outputs["none"][0])
        if not isinstance(said, (int, float)) or not math.isfinite(said):
            return self.failed(criterion, None, "The SQNR that is reported is not a number.")
        if not handed_in:
            if db >= said - 10:
                return self.passed(criterion)
            return self.failed(
                criterion, "only-these-inputs", "Between the inputs the SQNR is much lower than on them."
            )
        detail = f"measured from the two files: {db:.2f} dB; reported: {said:.2f} dB"
        if abs(db - said) > TOLERANCE_DB:
            half = abs(db / 2 - said) <= TOLERANCE_DB
            kind = "half-the-db" if half else "other-number"
            return self.failed(
                criterion, kind, "The SQNR that is reported is not that of the two files.", detail=detail
            )
        if db < LEAST_DB:
            text = f"The SQNR is below {LEAST_DB:g} dB: the quantized net has little to do with the net."
            return self.failed(criterion, None, text, detail=detail)
        return self.passed(criterion)

    def _backend(self, quantized: "OnnxRun") -> Finding:
        criterion, step = "a backend runs it", quantized.output_scale
        if not step or not math.isfinite(step) or step <= 0:
            text = "The output of the quantized net is not quantized."
            return self.failed(criterion, "output-not-quantized", text)
        none, everything = (quantized.outputs[level][0].double() for level in ("none", "all"))
        far = float((((everything - none) / step).round().abs() > 1).double().mean())
        if everything.isfinite().all() and far <= FAR:
            return self.passed(criterion)
        text = "ONNX Runtime, with all optimization, is more than one step away in many values."
        return self.failed(criterion, "backend-differs", text, detail=f"more than one step away: {far:.1%}")


def _file(value: Any) -> bytes | str:
    """The bytes of a file, or what is wrong with it."""
    if not isinstance(value, (str, Path)):
        return "not the path of a file"
    path = Path(value)
    try:
        if not path.is_file():
            return "there is no such file"
        if path.stat().st_size > MAX_FILE:
            return f"larger than {MAX_FILE // 2**10} KiB: take a smaller net"
        return path.read_bytes() or "the file is empty"
    except (OSError, ValueError):
        return "the file cannot be read"


def _between(inputs: "torch.Tensor", seed: int) -> "torch.Tensor":
    """Inputs that nobody has handed in: each a mixture of two of those."""
    import torch

    generator = torch.Generator().manual_seed(seed)
    other = inputs[torch.randperm(len(inputs), generator=generator)]
    share = 0.2 * torch.rand(len(inputs), *[1] * (inputs.dim() - 1), generator=generator)
    return (1 - share) * inputs + share * other


def _free(ran: "OnnxRun") -> bool:
    return all(dims and dims[0] is None for dims in ran.dims)


def _shapes(shapes: Any) -> tuple[tuple[int, ...], ...]:
    """Shapes of weights in an order of their own; a linear's weight may lie in a file either way."""
    return tuple(sorted(tuple(sorted(s)) if len(s) == 2 else tuple(s) for s in shapes))


@cache
def _course_nets() -> frozenset[tuple[tuple[int, ...], ...]]:
    from common.models import MODELS, get_model

    found = set()
    for name in MODELS:
        weights = [tuple(p.shape) for p in get_model(name).parameters() if p.dim() > 1]
        if len(weights) > 1:
            found.add(_shapes(weights))
    return frozenset(found)


def _run(file: "torch.Tensor", x: "torch.Tensor", levels: tuple[str, ...], *, activations: bool) -> "OnnxRun":
    from common.backends.onnx_file import OnnxRun, run_onnx

    if str(file.dtype) != "torch.uint8" or file.dim() != 1:
        return OnnxRun("what was recorded is no file", "read")
    data = file.numpy().tobytes()
    key = hashlib.sha256(data + x.contiguous().numpy().tobytes()).hexdigest() + str(activations)
    if key not in _known:
        if len(_known) > 50:
            _known.clear()
        _known[key] = run_onnx(data, [x], levels, activations=activations)
    return _known[key]
