"""A Q/DQ graph as one .onnx file: what the file holds, and what ONNX Runtime gives for it."""

import hashlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.checks.m07_2._graphs import quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder

if TYPE_CHECKING:
    import torch

    from common.backends.onnx_file import OnnxRun

BATCHES = (2, 48)
MOST_STEPS, MOST_VALUES = 4, 0.03
MANY = 100
"""One unit is at most one step off, seldom; behind it, more units pass this on. What is not quantized, or quantized
otherwise, is off in a large part of its values. Of fewer values than MANY, single ones say nothing."""

_known: dict[str, "OnnxRun"] = {}


class ToOnnx(Exercise):
    """to_onnx(qdq, example, path): write a Q/DQ graph as one .onnx file that ONNX Runtime runs with any batch."""

    id = "m09_1.to_onnx"
    kind = "core"
    minutes = 15
    criteria = {"one file with int8 weights": 2, "same integers": 2, "free batch": 2}
    parameters = ("qdq", "example", "path")
    needs = ("onnx", "onnxscript", "onnxruntime")
    not_allowed = ("write_onnx",)
    hints = (
        "`torch.onnx.export` has a parameter for each of the three: which exporter, where the weights go, which "
        "dimensions stay free.",
        "`dynamo=True` takes the exporter that knows quantize and dequantize; `external_data=False` keeps the weights in "
        "the file.",
        "`dynamic_shapes` is a tuple with one entry for each input, such as `{0: torch.export.Dim.AUTO}`.",
    )
    misconceptions = {
        "not-written": "The runtime reads a file. `torch.onnx.export` without a path gives an object in memory only; save "
        "it, at the path that was asked for.",
        "old-exporter": "`dynamo=False` is the older exporter. It traces the module, and has no rule for the operators "
        "`quantized_decomposed.…` of a Q/DQ graph.",
        "weights-beside": "By default the exporter may put the weights into a second file, `….onnx.data`. Whoever gets only "
        "the .onnx file cannot load it.",
        "float-weights": "The weights were multiplied out to fp32 before the export. The file is four times as large then, "
        "and the runtime finds no integers to compute with.",
        "no-quantize": "Without QuantizeLinear and DequantizeLinear the file is an fp32 net: nothing in it says where and "
        "how to round.",
        "runtime-file": "What a runtime writes after optimizing is made for that runtime and this machine. Hand out the "
        "graph as it was exported; each runtime optimizes it for itself.",
        "fixed-batch": "Export takes every size of the example for a constant, unless it is told that a dimension is free.",
        "other-values": "The file is a net with q/dq, but it does not round as the given graph does.",
    }
    public_cases = (Case(model="conv_relu"),)
    facts = {
        "file": TENSOR,
        "bytes": {"type": ["integer", "null"]},
        "others": {"type": "integer"},
    }

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import numpy as np
        import torch

        from common.backends.onnx_file import MAX_BYTES
        from common.backends.ort import quiet_exporter
        from common.models import example_inputs

        quiet_exporter()
        folder = Path(tempfile.mkdtemp(prefix="pt2e-kit-"))
        try:
            path = folder / "net.onnx"
            ev.call(answer, quantized(case), example_inputs(batch=BATCHES[0]), str(path))
            there = path.is_file()
            size = path.stat().st_size if there else None
            ev.fact("bytes", size)
            ev.fact("others", sum(1 for other in folder.iterdir() if other != path))
            if there and size is not None and 0 < size <= MAX_BYTES:
                ev.tensor("file", torch.from_numpy(np.fromfile(path, dtype=np.uint8)))
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        exception = evidence.exception or {}
        if any("torchscript_exporter" in frame for frame in exception.get("frames", [])):
            yield self.failed(
                "one file with int8 weights",
                "old-exporter",
                "The exporter that was chosen does not know q/dq operators.",
            )

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if not evidence.facts["bytes"]:
            yield self.failed(
                "one file with int8 weights", "not-written", "There is no file at the path that was given."
            )
            return
        if not evidence.has("file"):
            yield self.failed("one file with int8 weights", None, "The file is far larger than this net needs.")
            return
        gm = quantized(case)
        inputs = _inputs(case)
        ran = _run(evidence.tensor("file"), inputs)
        yield from self._contents(ran, gm, evidence)
        if ran.stage == "read":
            return
        alone = ran if ran.done else _run(evidence.tensor("file"), inputs[:1])
        if not alone.done:
            text = "ONNX Runtime does not run the file, not even with the batch of the example."
            yield self.failed("same integers", None, text, detail=alone.error)
            return
        yield self._values(alone, gm, inputs)
        free = all(shape and shape[0] is None for shape in ran.dims)
        if ran.done and free:
            yield self.passed("free batch")
        else:
            yield self.failed("free batch", "fixed-batch", "The file takes the batch of the example only.")

    def _contents(self, ran: "OnnxRun", gm: Any, evidence: Evidence) -> Iterator[Finding]:
        criterion = "one file with int8 weights"
        weights = int8_weights(gm)
        if ran.external or (evidence.facts["others"] and ran.stage == "read"):
            yield self.failed(criterion, "weights-beside", "The file says that weights lie in another file.")
        elif ran.stage == "read":
            yield self.failed(criterion, None, "The file cannot be read as ONNX.", detail=ran.error)
        elif any("::" in name or name.startswith("QLinear") for name in ran.ops):
            text = "The file holds operators that a runtime puts in when it optimizes."
            yield self.failed(criterion, "runtime-file", text)
        elif not ran.ops.get("QuantizeLinear") and not ran.ops.get("DequantizeLinear"):
            yield self.failed(
                criterion, "no-quantize", "There is no QuantizeLinear and no DequantizeLinear in the file."
            )
        elif _all_there(weights, ran):
            yield self.passed(criterion)
        elif any(tuple(w.shape) in ran.shapes or tuple(w.T.shape) in ran.shapes for w in weights if w.dim() > 1):
            yield self.failed(criterion, "float-weights", "Weights stand in the file as fp32 numbers.")
        else:
            yield self.failed(criterion, None, "The int8 weights of the graph are not in the file.")

    def _values(self, ran: "OnnxRun", gm: Any, inputs: "list[torch.Tensor]") -> Finding:
        import torch

        from common.backends.comparison import distance, output_step

        step, worst, share = output_step(gm), 0, 0.0
        with torch.no_grad():
            for outputs in ran.outputs.values():
                for x, output in zip(inputs, outputs, strict=False):
                    expected = gm(x)
                    if output.shape != expected.shape or not output.is_floating_point() or not output.isfinite().all():
                        return self.failed("same integers", None, "What the file gives has another shape or type.")
                    d = distance(output, expected, step)
                    worst = max(worst, d.steps)
                    share = max(share, d.share) if output.numel() >= MANY else share
        if worst <= MOST_STEPS and share <= MOST_VALUES:
            return self.passed("same integers")
        text = "ONNX Runtime gives other integers for the file than the Q/DQ graph."
        detail = f"up to {worst} steps apart; {share:.1%} of the values differ"
        return self.failed("same integers", "other-values", text, detail=detail)


def int8_weights(gm: Any) -> "list[torch.Tensor]":
    """Return the int8 weights of a Q/DQ graph: what stands in front of a dequantize, as a constant."""
    from operator import attrgetter

    found = []
    for node in gm.graph.nodes:
        if "dequantize" in str(node.target) and node.args[0].op == "get_attr":
            found.append(attrgetter(str(node.args[0].target))(gm).detach())
    return found


def _all_there(weights: "list[torch.Tensor]", ran: "OnnxRun") -> bool:
    import torch

    def same(a: "torch.Tensor", b: "torch.Tensor") -> bool:
        turned = b.T if b.dim() == 2 else b
        return (a.shape == b.shape and torch.equal(a, b)) or (a.shape == turned.shape and torch.equal(a, turned))

    return all(any(same(w, other) for other in ran.int8) for w in weights)


def _inputs(case: Case) -> "list[torch.Tensor]":
    from common.models import example_inputs

    return [example_inputs(batch=n, seed=case.seed + n)[0] for n in BATCHES]


def _run(file: "torch.Tensor", inputs: "list[torch.Tensor]") -> "OnnxRun":
    from common.backends.onnx_file import OnnxRun, run_onnx

    if str(file.dtype) != "torch.uint8" or file.dim() != 1:
        return OnnxRun("what was recorded is no file", "read")
    data = file.numpy().tobytes()
    key = hashlib.sha256(data).hexdigest() + "".join(f"-{float(x.sum()):.6f}-{len(x)}" for x in inputs)
    if key not in _known:
        if len(_known) > 50:
            _known.clear()
        _known[key] = run_onnx(data, inputs)
    return _known[key]
