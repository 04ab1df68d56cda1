"""From a Q/DQ graph to a .pte file: the judge runs the file, in a process of its own."""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from common.checks.m08_1._files import example, quantized
from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import TENSOR, Evidence, Recorder
from common.exercise.graphs import MalformedEvidence

if TYPE_CHECKING:
    import torch

    from common.backends.pte import PteRun

MOST_STEPS = 2
"""XNNPACK rounds in integers and the Q/DQ graph in fp32. These nets were one step apart at most; another machine's
kernels may be another one away."""


class ToPte(Exercise):
    """to_pte(qdq, example): make a .pte file of a Q/DQ graph that runs in XNNPACK, and return its bytes."""

    id = "m08_1.to_pte"
    kind = "core"
    minutes = 15
    criteria = {"a file that runs": 1, "delegated": 2, "static batch": 1, "same integers": 2}
    parameters = ("qdq", "example")
    must_return = True
    needs = ("executorch",)
    not_allowed = ("pte_bytes", "lower")
    hints = (
        "Four steps, one call each: export, lower to a backend, make an ExecuTorch program, take its bytes.",
        "Section 1 takes these steps with the fp32 net. What changes is what goes in: the Q/DQ graph.",
        "`to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()])`, then `.to_executorch().buffer`.",
    )
    misconceptions = {
        "no-partitioner": "Nothing goes to a backend by itself. A partitioner chooses what the backend takes; without "
        "one every op stays with ExecuTorch's portable kernels, and for quantize and dequantize there are none.",
        "edge-first": "With `to_edge(…).to_backend(…)` the ops are rewritten before the partitioner is asked: a max pool "
        "has become `max_pool2d_with_indices` then, and XNNPACK has no kernel for that. `to_edge_transform_and_lower` asks "
        "first, and keeps what the backend takes.",
        "fp32-exported": "XNNPACK reads from the q/dq nodes that a unit is to be computed in integers. Without them "
        "(the fp32 net, or a graph from which they were taken) it computes in fp32, and everything still seems to work.",
        "dynamic-batch": "A batch that is declared free is not free in the file: the runtime plans memory for a largest "
        "one. Export with the example alone, and the file says exactly what it takes.",
        "another-example": "The file takes the shape that it was exported with, and no other. Export with the example "
        "that you are given.",
        "manager-not-bytes": "`to_executorch()` gives an object that manages the program. The file itself is in its "
        "`buffer`.",
        "path-not-bytes": "A path says where a file is on your machine. Return what is in the file: its bytes.",
        "exported-not-lowered": "`torch.export.save` writes a program for Python and torch. A .pte is what comes out of "
        "`to_executorch()`: nothing in it needs either.",
    }
    public_cases = (Case(model="pool_chain"),)
    facts = {"returned": {"type": "string"}, "size": {"type": "integer"}, "pte": TENSOR}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        import torch

        from common.backends.pte import MAX_BYTES
        from common.backends.xnnpack import quiet_native

        with quiet_native():
            returned = ev.call(answer, quantized(case), example(case))
        ev.fact("returned", type(returned).__name__)
        data = None
        with ev.student("the bytes were read"):
            if isinstance(returned, (bytes, bytearray, memoryview)):
                data = bytes(returned)
        if data is not None:
            ev.fact("size", len(data))
            if 0 < len(data) <= MAX_BYTES:
                ev.tensor("pte", torch.frombuffer(bytearray(data), dtype=torch.uint8))

    def judge_raised(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        message = str((evidence.exception or {}).get("message", ""))
        if "Missing out variants" in message and "quantized_decomposed" in message:
            symptom = (
                "to_executorch() finds no kernels for quantize and dequantize: they were left to ExecuTorch itself."
            )
            yield self.failed("delegated", "no-partitioner", symptom)

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        if "size" not in evidence.facts:
            yield self._no_bytes(evidence.facts.get("returned", ""))
            return
        if not evidence.has("pte"):
            yield Finding(None, False, "size", "The bytes are none at all, or more than a file of such a net can have.")
            return
        recorded = evidence.tensor("pte")
        if str(recorded.dtype) != "torch.uint8" or recorded.dim() != 1:
            raise MalformedEvidence("the file is not recorded as bytes")
        data = recorded.numpy().tobytes()
        run = _run(data, case)
        if run.stage == "read":
            kind = "exported-not-lowered" if data[:2] == b"PK" else None
            symptom = "What is returned is a file, but not a .pte file."
            yield self.failed("a file that runs", kind, symptom, detail=run.error)
            return
        yield from self._structure(case, run)
        if run.done:
            yield self.passed("a file that runs")
            yield self._numbers(case, run)

    def _no_bytes(self, returned: str) -> Finding:
        kinds = {"ExecutorchProgramManager": "manager-not-bytes", "str": "path-not-bytes"}
        kinds |= dict.fromkeys(("PosixPath", "WindowsPath"), "path-not-bytes")
        kind = kinds.get(returned)
        why = self.misconceptions[kind] if kind else ""
        return Finding(None, False, kind or "form", "What is returned is not bytes.", why, f"yours: {returned}")

    def _structure(self, case: Case, run: "PteRun") -> Iterator[Finding]:
        if run.delegates and set(run.delegates) == {"XnnpackBackend"} and not run.kernels:
            yield self.passed("delegated")
        else:
            kind = _left(run)
            symptom = "Not everything goes to XNNPACK." if run.delegates else "Nothing in the file goes to XNNPACK."
            if kind == "edge-first":
                symptom = "The max pool was rewritten before XNNPACK could take it: it stayed outside."
            detail = f"calls of delegates: {len(run.delegates)}; calls of other kernels: {len(run.kernels)}"
            yield self.failed("delegated", kind, symptom, detail=detail)
        wanted = tuple(tuple(x.shape) for x in example(case))
        if run.static and run.shapes == wanted:
            yield self.passed("static batch")
        else:
            kind = "another-example" if run.static else "dynamic-batch"
            symptom = (
                "The file takes another shape than the example's."
                if run.static
                else "The batch of the file is not fixed."
            )
            yield self.failed("static batch", kind, symptom, detail=f"declared: {run.shapes}; example: {wanted}")
        if not run.done and run.static and run.shapes == wanted:
            symptom = "The file is a .pte file, and the runtime cannot run it."
            yield self.failed("a file that runs", None, symptom, detail=run.error)

    def _numbers(self, case: Case, run: "PteRun") -> Finding:
        import torch

        from common.lowering import qparams

        gm = quantized(case)
        with torch.no_grad():
            wanted = gm(*_input(case))
        (output,) = (n for n in gm.graph.nodes if n.op == "output")
        scale = qparams(output.args[0][0])[0]
        if len(run.outputs) != 1 or run.outputs[0].shape != wanted.shape or run.outputs[0].dtype != wanted.dtype:
            return self.failed(
                "same integers", None, "The outputs have another number, shape or type than the graph's."
            )
        steps = (run.outputs[0] - wanted) / scale
        apart = float(steps.abs().max())
        lines = run.outputs[0] / scale
        off_grid = not float((lines - torch.round(lines)).abs().max()) < 0.01  # nan is off it, too
        if apart <= MOST_STEPS + 0.01 and not off_grid:
            return self.passed("same integers")
        if off_grid:
            symptom = "The outputs do not lie on the steps of the output's scale: they were not computed in integers."
            return self.failed("same integers", "fp32-exported", symptom)
        symptom = "The outputs are too far from the Q/DQ graph's."
        return self.failed("same integers", None, symptom, detail=f"up to {apart:.1f} steps apart")


def _left(run: "PteRun") -> str | None:
    """Why ops were left outside, where what was left tells."""
    if not run.delegates:
        return "no-partitioner"
    pools = all("max_pool2d_with_indices" in name for name in run.kernels)
    return "edge-first" if run.kernels and pools and run.static else None


def _input(case: Case) -> "tuple[torch.Tensor]":
    """An input that the answer has not seen, of the example's shape."""
    from common.models import example_inputs

    return example_inputs(case.get("batch", 4), seed=case.seed + 2)


def _run(data: bytes, case: Case) -> "PteRun":
    return _run_once(data, case.get("batch", 4), case.seed)


@lru_cache(maxsize=16)
def _run_once(data: bytes, batch: int, seed: int) -> "PteRun":
    """Starting a process takes a second: the same bytes give the same result."""
    from common.backends.pte import run_pte

    return run_pte(data, _input(Case(batch=batch, seed=seed)))
