"""Read and run an .onnx file (ONNX Runtime) in a process of its own: `run_onnx`; and the program that runs there."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from common.measure import MeasureLimits, Outcome, measure

if TYPE_CHECKING:
    import torch

MAX_BYTES = 3 * 2**20
"""The largest file that is tried: evidence of a case may have 4 MiB."""

LIMITS = MeasureLimits(seconds=45, cpu_seconds=10)
"""Loading the libraries and running a small net takes two or three seconds of CPU time; on a busy machine it waits."""

STAGES = ("read", "load", "run", "done")


@dataclass(frozen=True)
class OnnxRun:
    """What an .onnx file holds, and what it gave for some inputs.

    Attributes:
        error: why there are no outputs; "" where there are.
        stage: how far it came: "read" (is it such a file at all), "load", "run", "done".
        external: names of tensors that the file keeps in another file.
        ops: the operators of the file, ``{"QuantizeLinear": 4}``; of other domains as ``"com.microsoft::QGemm"``.
        dims: the size of each dimension of each input; None where it is free.
        int8: its int8 constants of two dimensions and more.
        shapes: shapes of its fp32 constants of two dimensions and more.
        outputs: level of optimization → one tensor for each set of inputs.
        output_scale: the scale of the DequantizeLinear that makes the output; None where something else makes it.
        activations: where asked for, for each QuantizeLinear how much of its range the first input uses, and which
            share of the values lies outside of it and is cut off.
    """

    error: str
    stage: str
    external: tuple[str, ...] = ()
    ops: Mapping[str, int] = field(default_factory=dict)
    dims: tuple[tuple[int | None, ...], ...] = ()
    int8: "tuple[torch.Tensor, ...]" = ()
    shapes: tuple[tuple[int, ...], ...] = ()
    outputs: "Mapping[str, tuple[torch.Tensor, ...]]" = field(default_factory=dict)
    output_scale: float | None = None
    activations: tuple[tuple[float, float], ...] = ()

    @property
    def done(self) -> bool:
        """Whether it ran on all inputs at all levels."""
        return self.stage == "done"


def run_onnx(
    data: bytes,
    inputs: "Sequence[torch.Tensor]",
    levels: Sequence[str] = ("none", "all"),
    limits: MeasureLimits | None = None,
    *,
    activations: bool = False,
) -> OnnxRun:
    """Run an .onnx file that has one input and one output on each of `inputs`, in a limited process.

    Never raises for what the file is or does.

    Args:
        levels: of optimization, keys of `common.backends.ort.LEVELS`.
        activations: whether to look at the values in front of each QuantizeLinear.

    Raises:
        RuntimeError: the measuring process cannot even start here: our side, and no property of the file.
    """
    if len(data) > MAX_BYTES:
        return OnnxRun(f"the file is larger than {MAX_BYTES // 2**20} MiB", "read")
    tensors = {f"input_{n}": tensor for n, tensor in enumerate(inputs)}
    values = {"inputs": len(inputs), "levels": list(levels), "activations": activations}
    outcome = measure("common.backends.onnx_file", values, tensors, {"model": data}, limits or LIMITS)
    if outcome.status == "broken":
        raise RuntimeError(f"the process that runs .onnx files does not start: {outcome.message}")
    return _as_run(outcome, len(inputs), levels)


def _as_run(outcome: Outcome, runs: int, levels: Sequence[str]) -> OnnxRun:
    """Take the reply apart; the process that wrote it is not trusted, so nothing about it is taken for granted."""
    if not outcome.done:
        return OnnxRun(outcome.message or outcome.status, "run")
    values, tensors = outcome.values, outcome.tensors
    try:
        stage = values["stage"]
        if stage not in STAGES:
            raise TypeError("no such stage")
        return OnnxRun(
            error=str(values["error"])[:500],
            stage=stage,
            external=tuple(str(name)[:100] for name in values["external"]),
            ops={str(name)[:100]: int(n) for name, n in values["ops"].items()},
            dims=tuple(tuple(None if d is None else int(d) for d in shape) for shape in values["dims"]),
            int8=tuple(tensors[f"int8_{n}"] for n in range(int(values["int8"]))),
            shapes=tuple(tuple(int(d) for d in shape) for shape in values["shapes"]),
            output_scale=None if values["output_scale"] is None else float(values["output_scale"]),
            activations=tuple((float(used), float(cut)) for used, cut in values["activations"]),
            outputs={level: tuple(tensors[f"{level}_{n}"] for n in range(runs)) for level in levels}
            if stage == "done"
            else {},
        )
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
        return OnnxRun("its reply cannot be read", "run")


# The program that `common.measure` runs: from here on, only in the process of its own


def prepare() -> None:
    """Load what the program needs: when that fails, it is not the file's fault."""
    import onnx  # noqa: F401
    import onnxruntime
    import torch

    torch.set_num_threads(1)
    onnxruntime.set_default_logger_severity(4)


def run(
    values: Mapping[str, Any], tensors: "Mapping[str, torch.Tensor]", files: Mapping[str, bytes]
) -> "tuple[dict[str, Any], dict[str, torch.Tensor]]":
    """Read the structure of ``files["model"]``, load it, and run it on the inputs at each level."""
    data = files["model"]
    told: dict[str, Any] = {
        "stage": "read",
        "error": "",
        "external": [],
        "ops": {},
        "dims": [],
        "int8": 0,
        "shapes": [],
    }
    told |= {"output_scale": None, "activations": []}
    made: dict[str, torch.Tensor] = {}
    try:
        _describe(data, told, made)
        if told["external"]:
            raise ValueError("it keeps tensors in another file")
        told["stage"] = "load"
        sessions = {level: _session(data, level) for level in values["levels"]}
        told["stage"] = "run"
        for level, session in sessions.items():
            for n in range(values["inputs"]):
                made[f"{level}_{n}"] = _one_run(session, tensors[f"input_{n}"])
        if values.get("activations"):
            told["activations"] = _activations(data, tensors["input_0"])
    except Exception as error:
        told["error"] = f"{type(error).__name__}: {error}"[:500]
        return told, {name: t for name, t in made.items() if name.startswith("int8_")}
    return told | {"stage": "done"}, made


def _describe(data: bytes, told: dict[str, Any], made: "dict[str, torch.Tensor]") -> None:
    import numpy as np
    import onnx
    import torch
    from onnx import numpy_helper

    model = onnx.load_model_from_string(data)
    graph = model.graph
    if not graph.node:
        raise ValueError("it holds no operator")
    given = {tensor.name for tensor in graph.initializer}
    for value in graph.input:
        if value.name not in given:
            dims = value.type.tensor_type.shape.dim
            told["dims"].append([d.dim_value if d.HasField("dim_value") else None for d in dims])
    nodes = [*graph.node, *(node for function in model.functions for node in function.node)]
    standard = ("", "ai.onnx")
    names = (n.op_type if n.domain in standard else f"{n.domain}::{n.op_type}" for n in nodes)
    told["ops"] = dict(Counter(names).most_common(500))
    constants = [a.t for n in nodes if n.op_type == "Constant" for a in n.attribute if a.name == "value"]
    for tensor in [*graph.initializer, *constants]:
        if tensor.data_location == onnx.TensorProto.EXTERNAL:
            told["external"].append(tensor.name)
        elif len(tensor.dims) > 1 and tensor.data_type == onnx.TensorProto.INT8:
            array = np.ascontiguousarray(numpy_helper.to_array(tensor))
            made[f"int8_{told['int8']}"] = torch.from_numpy(array.copy())
            told["int8"] += 1
        elif len(tensor.dims) > 1 and tensor.data_type == onnx.TensorProto.FLOAT:
            told["shapes"].append(list(tensor.dims))

    numbers = _numbers(graph)
    for node in graph.node:
        if node.op_type == "DequantizeLinear" and graph.output and graph.output[0].name in node.output:
            scale = numbers.get(node.input[1])
            told["output_scale"] = None if scale is None else float(scale)


def _numbers(graph: Any) -> dict[str, Any]:
    """The single numbers among the constants of a graph, by name."""
    from onnx import numpy_helper

    return {t.name: numpy_helper.to_array(t).reshape(()) for t in graph.initializer if math.prod(t.dims) == 1}


def _activations(data: bytes, x: "torch.Tensor") -> list[list[float]]:
    """For each QuantizeLinear how much of its range is used, and the share of values that are cut off."""
    import numpy as np
    import onnx
    from onnx import TensorProto, helper

    model = onnx.load_model_from_string(data)
    graph, numbers = model.graph, _numbers(model.graph)
    places = [n for n in graph.node if n.op_type == "QuantizeLinear" and n.input[1] in numbers][:200]
    given = {value.name for value in graph.input}
    wanted = sorted({n.input[0] for n in places} - given)
    del graph.output[:]
    graph.output.extend(helper.make_tensor_value_info(name, TensorProto.FLOAT, None) for name in wanted)
    seen = dict.fromkeys(given, x.numpy())
    if wanted:
        session = _session(model.SerializeToString(), "none")
        seen |= dict(zip(wanted, session.run(wanted, {session.get_inputs()[0].name: x.numpy()}), strict=True))
    found = []
    for node in places:
        scale = float(numbers[node.input[1]])
        zero = numbers.get(node.input[2]) if len(node.input) > 2 else None
        least, most = (-128, 127) if zero is not None and zero.dtype == np.int8 else (0, 255)
        low, high = ((end - float(zero if zero is not None else 0)) * scale for end in (least, most))
        values = seen[node.input[0]].astype(np.float64)
        cut = float(((values < low - scale) | (values > high + scale)).mean())
        found.append([float((values.max() - values.min()) / ((most - least) * scale)), cut])
    return found


def _session(data: bytes, level: str) -> Any:
    import onnxruntime

    from common.backends.ort import session_options

    return onnxruntime.InferenceSession(data, session_options(level), providers=["CPUExecutionProvider"])


def _one_run(session: Any, value: "torch.Tensor") -> "torch.Tensor":
    import numpy as np
    import torch

    if len(session.get_inputs()) != 1 or len(session.get_outputs()) != 1:
        raise ValueError("it does not have one input and one output")
    (output,) = session.run(None, {session.get_inputs()[0].name: value.numpy()})
    if not isinstance(output, np.ndarray) or output.dtype.kind not in "fiub":
        raise ValueError("its output is no array of numbers")
    if math.prod(output.shape) > 2**20:
        raise ValueError("its output is too large")
    return torch.from_numpy(np.ascontiguousarray(output).copy())
