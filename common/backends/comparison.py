"""One Q/DQ graph on three backends, side by side: `compare_backends`.

A backend that this machine lacks is told in its row, and is no error. Nothing here loads torch or a backend when it
is imported.
"""

import copy
import os
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.backends.ort import PARTS
from common.exercise.capture import FOLDER_VARIABLE
from common.i18n import _
from common.platform_checks import missing_parts

if TYPE_CHECKING:
    import torch
    from torch import fx

RUNS = 30
"""Runs of which the time is taken; the middle one counts."""


@dataclass(frozen=True)
class BackendRow:
    """How one backend treated the graph.

    Attributes:
        name: of the backend.
        ran: whether there is an output.
        remark: why not, else "".
        output: what came out.
        size: bytes of the file that is handed to the backend's runtime; None where there is no file.
        milliseconds: the middle of `RUNS` runs on this machine, with one thread.
    """

    name: str
    ran: bool
    remark: str = ""
    output: "torch.Tensor | None" = None
    size: int | None = None
    milliseconds: float | None = None


@dataclass(frozen=True)
class Distance:
    """How far two outputs are apart.

    Attributes:
        steps: the largest distance, in quantization steps.
        share: the share of values that are not the same integer.
    """

    steps: int
    share: float


def output_step(qdq: "fx.GraphModule") -> float:
    """Return the quantization step of a Q/DQ graph's output: the scale of the dequantize node in front of it.

    Raises:
        ValueError: the output does not come from a dequantize node.
    """
    output = next(n for n in qdq.graph.nodes if n.op == "output")
    last = output.all_input_nodes[0]
    if not str(last.target).startswith("quantized_decomposed.dequantize_per_tensor"):
        raise ValueError(_("the output of this graph is not quantized, so it has no step"))
    return float(last.args[1])


def distance(first: "torch.Tensor", second: "torch.Tensor", step: float) -> Distance:
    """Measure how far two outputs on the same grid are apart; see `Distance`."""
    apart = ((first.detach() - second.detach()) / step).round().abs()
    return Distance(int(apart.max()), float((apart > 0).float().mean()))


def compare_backends(qdq: "fx.GraphModule", x: "torch.Tensor") -> list[BackendRow]:
    """Run a Q/DQ graph with one input and one output as it is, with Inductor, XNNPACK and ONNX Runtime.

    While a submission is graded nothing is compiled or exported: it takes a minute, and no exercise depends on it.
    """
    import torch

    with torch.no_grad():
        rows = [_timed("Q/DQ graph", lambda: qdq(x))]
        for name, needs, make in (
            ("Inductor", ("cxx",), _inductor),
            ("XNNPACK", ("executorch",), _xnnpack),
            ("ONNX Runtime", PARTS, _onnx_runtime),
        ):
            rows.append(_row(name, needs, make, qdq, x))
    return rows


def _row(name: str, needs: tuple[str, ...], make: Callable[..., Any], qdq: "fx.GraphModule", x: Any) -> BackendRow:
    if os.environ.get(FOLDER_VARIABLE) is not None:
        return BackendRow(name, False, _("not run while a submission is graded"))
    missing = missing_parts(needs)
    if missing:
        return BackendRow(
            name, False, _("not on this machine: {part} ({how})").format(part=missing[0].id, how=missing[0].how)
        )
    try:
        run, size = make(copy.deepcopy(qdq), x)
        return _timed(name, run, size)
    except Exception as error:  # a backend may raise anything: that is what we want to know
        first = (str(error).strip().splitlines() or [""])[0]
        return BackendRow(name, False, _("it fails: {error}").format(error=f"{type(error).__name__}: {first[:120]}"))


def _timed(name: str, run: "Callable[[], torch.Tensor]", size: int | None = None) -> BackendRow:
    output, taken = run().clone(), []
    for _run in range(RUNS):
        begin = time.perf_counter()
        run()
        taken.append(time.perf_counter() - begin)
    return BackendRow(name, True, "", output, size, sorted(taken)[RUNS // 2] * 1000)


def _inductor(qdq: "fx.GraphModule", x: "torch.Tensor") -> "tuple[Callable[[], torch.Tensor], None]":
    import torch
    import torch._dynamo
    import torch._inductor.config as config

    torch._dynamo.reset()
    # One process: with more, compiling starts workers that each load torch, for a handful of small kernels.
    with config.patch(compile_threads=1):
        compiled: Any = torch.compile(qdq)
        compiled(x)
    return (lambda: compiled(x)), None


def _xnnpack(qdq: "fx.GraphModule", x: "torch.Tensor") -> "tuple[Callable[[], torch.Tensor], int]":
    from common.backends.xnnpack import pte_bytes, quiet_native

    data = pte_bytes(qdq, (x,))
    with quiet_native():
        from executorch.runtime import Runtime

        method: Any = Runtime.get().load_program(data).load_method("forward")
        method.execute((x,))
    return (lambda: method.execute((x,))[0]), len(data)


def _onnx_runtime(qdq: "fx.GraphModule", x: "torch.Tensor") -> "tuple[Callable[[], torch.Tensor], int]":
    import onnxruntime as ort
    import torch

    from common.backends.ort import session_options, write_onnx

    with tempfile.TemporaryDirectory() as folder:
        data = write_onnx(qdq, (x,), Path(folder, "model.onnx")).read_bytes()
    session = ort.InferenceSession(data, session_options(), providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return (lambda: torch.from_numpy(session.run(None, {name: x.numpy()})[0])), len(data)


def with_biases_on_grid(qdq: "fx.GraphModule") -> "fx.GraphModule":
    """Return a copy of a Q/DQ graph in which each bias of a conv2d or linear is as an integer kernel keeps it:
    rounded to a multiple of input scale times weight scale.
    """
    from operator import attrgetter

    import torch

    from common.graph_utils import short

    changed = copy.deepcopy(qdq)
    for node in changed.graph.nodes:
        if short(node.target) in ("conv2d", "linear") and len(node.args) > 2 and node.args[2] is not None:
            scale = node.args[1].args[1]
            if hasattr(scale, "target"):
                scale = attrgetter(str(scale.target))(changed).detach()
            bias, grid = attrgetter(str(node.args[2].target))(changed), scale * node.args[0].args[1]
            with torch.no_grad():
                bias.copy_((bias / grid).round() * grid)
    return changed
