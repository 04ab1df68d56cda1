"""What becomes of a Q/DQ graph: its units, the integer ops in it, and what this machine does with a lowered graph.

The functions that try something on this machine return a plain record, and `explain` puts a record into words. So
the words for another kind of machine can be had, and tested, from a record alone.
"""

import copy
import os
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import fx

from common.env import cpu_profile, has_cxx_compiler
from common.exercise.capture import FOLDER_VARIABLE
from common.graph_utils import QDQ_PREFIXES, qdq_nodes, short, sqnr
from common.i18n import _

INT8_OPS = ("qconv", "qlinear")
"""How the names of integer ops in torch's backend libraries begin (``onednn.qconv_pointwise``)."""

CONV_WRAPPERS = ("aten::conv2d", "aten::convolution", "aten::_convolution", "aten::_nnpack_available")
"""Ops of torch that only pass a convolution on to the kernel that computes it."""

KINDS = ("no mkldnn", "int8 ops that run", "int8 ops that fail", "mkldnn without int8 ops")
"""The kinds of machine, as far as a lowered Q/DQ graph can tell them apart."""


@dataclass(frozen=True)
class Unit:
    """A ``dequantize → op … op → quantize`` stretch of a Q/DQ graph: what a backend looks for.

    Attributes:
        quantize: the quantize node it ends in.
        inputs: the dequantize nodes of activations that it begins with, in graph order.
        ops: the nodes between, in graph order.
        shared: whether all inputs and the output have the same scale and zero point.
    """

    quantize: fx.Node
    inputs: tuple[fx.Node, ...]
    ops: tuple[fx.Node, ...]
    shared: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Short names of its ops: ``("conv2d", "relu")``."""
        return tuple(short(n.target) for n in self.ops)


def qparams(node: fx.Node) -> tuple[Any, Any]:
    """Return scale and zero point of a per-tensor quantize or dequantize node."""
    return node.args[1], node.args[2]


def find_units(gm: fx.GraphModule) -> list[Unit]:
    """Return the units of a Q/DQ graph in the order of their quantize nodes.

    Only per-tensor q/dq of activations, as XNNPACKQuantizer makes them, begin and end a unit; dequantized weights are
    left out. A unit has one op and one dequantize at least: the quantize of the net's input ends none.
    """
    order = {n: i for i, n in enumerate(gm.graph.nodes)}
    units = []
    for quantize in gm.graph.nodes:
        if not _is(quantize, "quantize_per_tensor"):
            continue
        ops, inputs, todo = set[fx.Node](), set[fx.Node](), [quantize.all_input_nodes[0]]
        while todo:
            node = todo.pop()
            if _is(node, "dequantize_per_tensor"):
                if node.all_input_nodes[0].op != "get_attr":  # else it is a weight
                    inputs.add(node)
            elif node.op == "call_function" and not str(node.target).startswith(QDQ_PREFIXES) and node not in ops:
                ops.add(node)
                todo += node.all_input_nodes
        if ops and inputs:
            shared = {qparams(n) for n in inputs} == {qparams(quantize)}
            begin, between = (tuple(sorted(nodes, key=order.__getitem__)) for nodes in (inputs, ops))
            units.append(Unit(quantize, begin, between, shared))
    return units


def out_dtype_ops(gm: fx.GraphModule) -> Counter[str]:
    """Count the ops that a graph computes in int32: those that an out_dtype node holds as its first argument."""
    nodes = (n for n in gm.graph.nodes if n.target is torch.ops.higher_order.out_dtype)
    return Counter(short(n.args[0]) for n in nodes)


def as_convolution(gm: fx.GraphModule) -> fx.GraphModule:
    """Return a copy of a graph in which each conv2d is written as the more general aten.convolution.

    torch.export keeps conv2d. torchao's pattern for the reference representation looks for convolution.
    """
    changed = copy.deepcopy(gm)
    for node in list(changed.graph.nodes):
        if node.target != torch.ops.aten.conv2d.default:
            continue
        x, weight, bias, stride, padding, dilation, groups = [*node.args, None, None, None, None, None][:7]
        arguments = (x, weight, bias, stride or [1, 1], padding or [0, 0], dilation or [1, 1])
        with changed.graph.inserting_before(node):
            general = changed.graph.call_function(
                torch.ops.aten.convolution.default, (*arguments, False, [0, 0], groups or 1)
            )
        general.meta = dict(node.meta)
        node.replace_all_uses_with(general)
        changed.graph.erase_node(node)
    changed.recompile()
    return changed


def int8_ops(gm: fx.GraphModule) -> Counter[str]:
    """Count the nodes that call an integer op of a backend library, such as ``onednn.qconv_pointwise``.

    ``mkldnn._convolution_pointwise`` is none of them: it is oneDNN's fp32 convolution.
    """
    parts = (str(n.target).split(".") for n in gm.graph.nodes if n.op == "call_function")
    named = (p[1] for p in parts if len(p) == 3 and p[0] in ("onednn", "quantized"))
    return Counter(name for name in named if name.startswith(INT8_OPS) and not name.endswith("prepack"))


def has_mkldnn() -> bool:
    """Whether this build of torch has mkldnn (oneDNN): only then are the int8 patterns registered at all."""
    return torch.backends.mkldnn.is_available()


@dataclass(frozen=True)
class Lowered:
    """What came of lowering one Q/DQ graph, and of running the result.

    Attributes:
        mkldnn: whether this build of torch has mkldnn.
        int8_ops: short name → number of integer ops of a backend in the lowered graph.
        qdq_before, qdq_after: numbers of quantize and dequantize nodes.
        runs: whether the lowered graph came to its end on the inputs.
        error: what it raised, else "".
        sqnr_db: how close its output is to that of the Q/DQ graph (infinite: equal); None when it did not run.
    """

    mkldnn: bool
    int8_ops: Mapping[str, int]
    qdq_before: int
    qdq_after: int
    runs: bool
    error: str = ""
    sqnr_db: float | None = None
    graph: fx.GraphModule | None = field(default=None, repr=False, compare=False)

    @property
    def kind(self) -> str:
        """One of `KINDS`."""
        if not self.mkldnn:
            return "no mkldnn"
        if not self.int8_ops:
            return "mkldnn without int8 ops"
        return "int8 ops that run" if self.runs else "int8 ops that fail"


def try_lowering(gm: fx.GraphModule, inputs: tuple[torch.Tensor, ...]) -> Lowered:
    """Lower a copy of a Q/DQ graph with `lower_pt2e_quantized_to_x86` and run the result once."""
    from common.pt2e import lower_pt2e_quantized_to_x86

    lowered = lower_pt2e_quantized_to_x86(copy.deepcopy(gm), inputs)
    runs, error, db = _run(gm, lowered, inputs)
    before, after = len(qdq_nodes(gm)), len(qdq_nodes(lowered))
    return Lowered(has_mkldnn(), int8_ops(lowered), before, after, runs, error, db, lowered)


def explain(record: Lowered) -> str:
    """Return what a record of `try_lowering` means, in words."""
    counts = _("q/dq nodes: {before} before, {after} after").format(before=record.qdq_before, after=record.qdq_after)
    ops = ", ".join(f"{n} × {name}" for name, n in record.int8_ops.items())
    if record.kind == "no mkldnn":
        text = _(
            "There is no mkldnn, so the int8 patterns are not even registered: the result is the Q/DQ graph in smaller "
            "ops ({counts}), and everything is still computed in fp32."
        )
    elif record.kind == "mkldnn without int8 ops":
        text = _(
            "mkldnn is there and its patterns are registered, but none of them fits a unit of this graph ({counts}): "
            "everything is still computed in fp32. Compare the units with the patterns of the backend."
        )
    elif record.kind == "int8 ops that run":
        text = _("The patterns fit: {ops} ({counts}), and the lowered graph runs.")
    else:
        text = _(
            "The patterns fit: {ops} ({counts}). But the lowered graph does not run: {error} The patterns look at the "
            "shape of a unit only; whether the kernel takes these integers is found out when it is called."
        )
    text = text.format(counts=counts, ops=ops, error=_sentence(record.error))
    if record.sqnr_db is not None:
        text += " " + _("Against the Q/DQ graph: {db}.").format(db=decibels(record.sqnr_db))
    return text


def describe_kind(kind: str) -> str:
    """Return what lowering gives on a kind of machine (one of `KINDS`), without the numbers of any run."""
    texts = {
        "no mkldnn": _(
            "no pattern is registered: the same q/dq nodes around smaller ops, computed in fp32; freezing adds nothing"
        ),
        "int8 ops that run": _(
            "units become integer ops of oneDNN, a few q/dq nodes stay at the edges, and the graph runs"
        ),
        "int8 ops that fail": _(
            "the graph looks the same, with integer ops, but the first kernel that does not take its integers raises"
        ),
        "mkldnn without int8 ops": _(
            "patterns are registered but fit no unit: the same q/dq nodes around smaller ops, computed in fp32"
        ),
    }
    return texts[kind]


def decibels(value: float | None) -> str:
    """Return an SQNR for a table: ``"58.9 dB"``, ``"equal, bit by bit"``, or ``"—"`` for None."""
    if value is None:
        return "—"
    return _("equal, bit by bit") if value == float("inf") else f"{value:.1f} dB"


@dataclass(frozen=True)
class Calls:
    """What the profiler saw in one run.

    Attributes:
        qdq: calls of quantize and dequantize as ops of their own.
        kernels: names of the kernels that computed convolutions, sorted.
        total: calls of ops.
    """

    qdq: int
    kernels: tuple[str, ...]
    total: int

    @property
    def int8(self) -> bool:
        """Whether a convolution was computed by an integer kernel."""
        return any(name.split("::")[-1].startswith(INT8_OPS) for name in self.kernels)


def kernel_calls(fn: Callable[..., torch.Tensor], inputs: tuple[torch.Tensor, ...]) -> Calls:
    """Run `fn` twice without gradients, and profile the second run: the first one may still have to compile."""
    with torch.no_grad():
        fn(*inputs)
        with cpu_profile() as prof:
            fn(*inputs)
    names = [e.name for e in prof.events() or []]
    kernels = {name for name in names if "conv" in name and "::" in name and name not in CONV_WRAPPERS}
    qdq = sum(name.startswith("quantized_decomposed::") for name in names)
    return Calls(qdq, tuple(sorted(kernels)), sum("::" in name for name in names))


@dataclass(frozen=True)
class Compiled:
    """What came of torch.compile on one Q/DQ graph; see `Lowered` for `runs` and `sqnr_db`.

    Attributes:
        compiler: whether it was tried at all; `error` says why not.
    """

    compiler: bool
    runs: bool
    error: str = ""
    calls: Calls | None = None
    sqnr_db: float | None = None


def try_compile(
    gm: fx.GraphModule, inputs: tuple[torch.Tensor, ...], *, freezing: bool = False, patterns: bool = True
) -> Compiled:
    """Compile a copy of a graph with torch.compile and run it, without gradients; where there is a C++ compiler.

    While a submission is graded nothing is compiled: it takes a minute, and no exercise depends on it.

    Args:
        freezing: Inductor's switch of that name: weights become constants, and the int8 patterns are tried.
        patterns: False turns off Inductor's pattern matcher, so that only its fusion of loops is left.
    """
    if not has_cxx_compiler():
        return Compiled(False, False, _("torch.compile needs a C++ compiler on the CPU, and there is none on the path"))
    if os.environ.get(FOLDER_VARIABLE) is not None:
        return Compiled(False, False, _("nothing is compiled while a submission is graded"))
    import torch._dynamo
    import torch._inductor.config as config

    torch._dynamo.reset()
    # One process: with more, compiling starts workers that each load torch, for a handful of small kernels.
    with config.patch(freezing=freezing, pattern_matcher=patterns, compile_threads=1):
        compiled: Any = torch.compile(copy.deepcopy(gm))
        runs, error, db = _run(gm, compiled, inputs)
        calls = kernel_calls(compiled, inputs) if runs else None
    return Compiled(True, runs, error, calls, db)


def explain_compiled(record: Compiled) -> str:
    """Return what a record of `try_compile` means, in words."""
    if not record.compiler:
        return _("Not run here: {why}").format(why=_sentence(record.error))
    if record.calls is None:
        return _("It compiles, but does not run: {error}").format(error=_sentence(record.error))
    kernels = ", ".join(record.calls.kernels) or _("no kernel that is called by name")
    if record.calls.int8:
        text = _("It runs, and convolutions are integer: {kernels}.")
    else:
        text = _("It runs, and convolutions are still fp32: {kernels}.")
    return text.format(kernels=kernels) + " " + _("{n} q/dq calls are left.").format(n=record.calls.qdq)


def _run(
    reference: Callable[..., Any], changed: Callable[..., Any], inputs: tuple[torch.Tensor, ...]
) -> tuple[bool, str, float | None]:
    with torch.no_grad():
        expected = reference(*inputs)
        try:
            output = changed(*inputs)
        except Exception as error:  # a backend may raise anything: that is what we want to know
            return False, _first_words(error), None
    return True, "", sqnr(expected, output)


def _first_words(error: Exception) -> str:
    """The kind of an error and its first sentence: torch's messages can fill a page."""
    line = (str(error).strip().splitlines() or [""])[0].split(". ")[0]
    return f"{type(error).__name__}: {line[:160]}"


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _is(node: fx.Node, name: str) -> bool:
    return str(node.target).startswith(f"quantized_decomposed.{name}")
