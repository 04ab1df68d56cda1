"""ONNX Runtime in a few words: sessions at a level of optimization, and what is in a file before and after.

Nothing here loads torch or onnxruntime when it is imported.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.i18n import _

if TYPE_CHECKING:
    import torch
    from torch import fx

    from common.viz import Picture

PARTS = ("onnx", "onnxscript", "onnxruntime")
"""The parts of `common.platform_checks` that all of this needs."""

LEVELS = {
    "none": "ORT_DISABLE_ALL",
    "basic": "ORT_ENABLE_BASIC",
    "extended": "ORT_ENABLE_EXTENDED",
    "all": "ORT_ENABLE_ALL",
}
"""Levels of optimization from nothing to everything, and what onnxruntime calls them."""

INTEGER_OPS = ("QLinearConv", "QLinearMatMul", "QGemm", "ConvInteger", "MatMulInteger")
"""Operators that multiply and add up in integers."""

FLOAT_OPS = ("Conv", "Gemm", "MatMul", "FusedConv", "FusedGemm", "FusedMatMul", "NhwcFusedConv")
"""Operators that do the same in floating point."""


def onnx_is_here() -> bool:
    """Whether onnx, onnxscript and onnxruntime can be used here; where not, say what is missing and how to get it."""
    from common.platform_checks import missing_parts

    missing = missing_parts(PARTS)
    if missing:
        names = ", ".join(part.id for part in missing)
        text = _("Not on this machine: {names}. To get it: {how}. The cells below say what they would show.")
        print(text.format(names=names, how=missing[0].how))
    return not missing


def write_onnx(gm: "fx.GraphModule", example: "tuple[torch.Tensor, ...]", path: str | Path) -> Path:
    """Write a graph as one .onnx file with a free batch, and return its path."""
    import torch

    quiet_exporter()
    shapes = tuple({0: torch.export.Dim.AUTO} for _x in example)
    torch.onnx.export(gm, example, str(path), dynamo=True, external_data=False, dynamic_shapes=shapes, verbose=False)
    return Path(path)


def session_options(level: str = "all", **entries: str) -> Any:
    """Return onnxruntime's SessionOptions for a level: one thread, and no messages.

    Args:
        level: a key of `LEVELS`.
        entries: further settings by their last name: ``qdqisint8allowed="1"`` sets ``session.qdqisint8allowed``.
    """
    import onnxruntime as ort

    options = ort.SessionOptions()
    options.graph_optimization_level = getattr(ort.GraphOptimizationLevel, LEVELS[level])
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 4
    for name, value in entries.items():
        options.add_session_config_entry(f"session.{name}", value)
    return options


def open_session(path: str | Path, options: Any) -> Any:
    """Load an .onnx file into onnxruntime with the settings of `session_options`: its optimizer runs then.

    Lessons call this and do not import onnxruntime: importing it starts a thread, and a process with threads cannot be
    the one that a grader forks for each submission.
    """
    import onnxruntime as ort

    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def run_file(path: str | Path, x: "torch.Tensor", level: str = "all", **entries: str) -> "torch.Tensor":
    """Run an .onnx file that has one input and one output on a tensor; see `session_options`."""
    import torch

    session = open_session(path, session_options(level, **entries))
    (output,) = session.run(None, {session.get_inputs()[0].name: x.detach().numpy()})
    return torch.from_numpy(output)


def optimized(path: str | Path, to: str | Path, level: str = "extended", **entries: str) -> Path:
    """Write what onnxruntime makes of a file at a level to the path `to`, and return that path."""
    options = session_options(level, **entries)
    options.optimized_model_filepath = str(to)
    open_session(path, options)
    return Path(to)


def op_types(path: str | Path) -> Counter[str]:
    """Count the operators in an .onnx file by type."""
    import onnx

    return Counter(node.op_type for node in onnx.load(str(path)).graph.node)


def weight_bytes(path: str | Path) -> int:
    """Return how many bytes the constants of an .onnx file take: the rest of the file is names and notes."""
    import onnx
    from onnx import numpy_helper

    return sum(numpy_helper.to_array(tensor).nbytes for tensor in onnx.load(str(path)).graph.initializer)


def picture_of_file(path: str | Path) -> "Picture":
    """Return an .onnx file as a Picture for `draw`: its operators, its inputs and its outputs."""
    import onnx

    from common.viz.picture import picture_from_facts

    graph = onnx.load(str(path)).graph
    constants = {tensor.name for tensor in graph.initializer}
    facts: list[Mapping[str, Any]] = []
    maker: dict[str, str] = {}
    for value in graph.input:
        maker[value.name] = value.name
        facts.append({"name": value.name, "op": "placeholder", "target": value.name, "args": [], "kwargs": {}})
    for number, node in enumerate(graph.node):
        name = f"{node.op_type}_{number}"
        maker |= dict.fromkeys(node.output, name)
        args = [{"node": maker[i]} for i in node.input if i in maker and i not in constants]
        facts.append(
            {"name": name, "op": "call_function", "target": f"onnx.{node.op_type}", "args": args, "kwargs": {}}
        )
    ends = [{"node": maker[value.name]} for value in graph.output]
    facts.append({"name": "output", "op": "output", "target": "output", "args": [ends], "kwargs": {}})
    return picture_from_facts(facts)


def quiet_exporter() -> None:
    """Keep the exporter's remarks out of the notebook: on torchvision, and on the mode of an exported graph."""
    import logging
    import warnings

    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", message="Exporting a model while it is in training mode")
    warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"onnxscript\..*|torch\.onnx\..*")
