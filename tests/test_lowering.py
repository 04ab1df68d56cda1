"""`common.lowering`: units, integer ops, and what a record of lowering or compiling says in words."""

import subprocess
import sys
from collections import Counter

import pytest
import torch

from common import lowering
from common.checks.m07_2._graphs import quantized
from common.env import quiet
from common.exercise import Case
from common.lowering import Calls, Compiled, Lowered, as_convolution, explain, explain_compiled, find_units, int8_ops
from common.models import example_inputs

quiet()

RECORDS = {
    "no mkldnn": Lowered(False, {}, 28, 28, True, sqnr_db=float("inf")),
    "int8 ops that run": Lowered(True, {"qconv_pointwise": 4}, 24, 9, True, sqnr_db=58.9),
    "int8 ops that fail": Lowered(True, {"qconv_pointwise": 4}, 28, 13, False, "RuntimeError: not these integers"),
    "mkldnn without int8 ops": Lowered(True, {}, 28, 28, True, sqnr_db=float("inf")),
}


def test_a_unit_begins_and_ends_in_integers() -> None:
    units = find_units(quantized(Case(model="add_pool")))
    assert [(u.names, len(u.inputs), u.shared) for u in units] == [(("add",), 2, False), (("max_pool2d",), 1, True)]


def test_a_weight_with_one_scale_is_no_input() -> None:
    for per_channel in (True, False):
        (unit,) = find_units(quantized(Case(model="conv_relu", per_channel=per_channel)))
        assert (unit.names, len(unit.inputs)) == (("conv2d", "relu"), 1)


def test_convolution_computes_what_conv2d_does() -> None:
    gm = quantized(Case(model="conv_chain"))
    changed = as_convolution(gm)
    names = [str(n.target) for n in changed.graph.nodes]
    assert names.count("aten.convolution.default") == 3 and "aten.conv2d.default" not in names
    (x,) = example_inputs()
    assert torch.equal(gm(x), changed(x))
    assert any(n.target == torch.ops.aten.conv2d.default for n in gm.graph.nodes)  # the given graph is left alone


def test_fp32_ops_of_a_backend_are_no_integer_ops() -> None:
    graph = torch.fx.Graph()
    x = graph.placeholder("x")
    for packet, overload in (("mkldnn._convolution_pointwise", "default"), ("aten.relu", "default")):
        library, name = packet.split(".")
        op = getattr(getattr(torch.ops, library), name, None)
        if op is not None:
            graph.call_function(getattr(op, overload), (x,))
    graph.output(x)
    assert not int8_ops(torch.fx.GraphModule(torch.nn.Module(), graph))


@pytest.mark.parametrize("kind", lowering.KINDS)
def test_each_kind_of_machine_has_its_own_words(kind: str) -> None:
    record = RECORDS[kind]
    assert record.kind == kind
    text = explain(record)
    words = {
        "no mkldnn": ("not even registered", "fp32", "28 before, 28 after", "equal, bit by bit"),
        "int8 ops that run": ("4 × qconv_pointwise", "runs", "58.9 dB"),
        "int8 ops that fail": ("4 × qconv_pointwise", "does not run", "RuntimeError: not these integers"),
        "mkldnn without int8 ops": ("none of them fits", "fp32"),
    }
    for word in words[kind]:
        assert word in text
    assert len({explain(r) for r in RECORDS.values()}) == 4
    assert len({lowering.describe_kind(k) for k in lowering.KINDS}) == 4


def test_lowering_where_mkldnn_is_not_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The detection is patched: the graph is lowered as on any machine, the record and its words say what is lacking."""
    monkeypatch.setattr(lowering, "has_mkldnn", lambda: False)
    record = lowering.try_lowering(quantized(Case(model="add_pool")), example_inputs())
    assert record.kind == "no mkldnn" and record.runs and record.qdq_before == record.qdq_after
    assert "There is no mkldnn" in explain(record)


def test_without_mkldnn_lowering_only_decomposes() -> None:
    """In a process of its own, since torchao registers its patterns when it is imported: torch is made to believe that there is no mkldnn."""
    code = """
import torch
torch.backends.mkldnn.is_available = lambda: False
from common.env import quiet
quiet()
from common.checks.m07_2._graphs import quantized
from common.exercise import Case
from common.graph_utils import op_counts
from common.lowering import try_lowering
from common.models import example_inputs
record = try_lowering(quantized(Case(model="tiny")), example_inputs())
ops = {k: n for k, n in op_counts(record.graph).items() if k in ("convolution", "addmm", "max_pool2d_with_indices")}
print(record.kind, record.qdq_before, record.qdq_after, record.runs, dict(record.int8_ops), sorted(ops.items()), sep="|")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    ops = [("addmm", 1), ("convolution", 4), ("max_pool2d_with_indices", 2)]
    assert done.stdout.strip() == f"no mkldnn|28|28|True|{{}}|{ops}"


def test_what_was_found_on_this_machine_has_words() -> None:
    for quantizer in ("xnnpack", "x86"):
        record = lowering.try_lowering(quantized(Case(model="conv_relu", quantizer=quantizer)), example_inputs())
        assert record.kind in lowering.KINDS
        assert explain(record)
        if not record.mkldnn:
            assert not record.int8_ops


def test_without_a_compiler_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "has_cxx_compiler", lambda: False)
    record = lowering.try_compile(quantized(Case(model="conv_relu")), example_inputs())
    assert not record.compiler and not record.runs
    assert "Not run here: torch.compile needs a C++ compiler" in explain_compiled(record)


def test_while_grading_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lowering, "has_cxx_compiler", lambda: True)
    monkeypatch.setenv("PT2E_KIT_EVIDENCE", "somewhere")
    record = lowering.try_compile(quantized(Case(model="conv_relu")), example_inputs())
    assert not record.compiler and "graded" in explain_compiled(record)


def test_words_on_what_was_compiled() -> None:
    int8 = Compiled(True, True, calls=Calls(0, ("onednn::qconv_pointwise",), 42), sqnr_db=58.0)
    fp32 = Compiled(True, True, calls=Calls(0, ("aten::mkldnn_convolution",), 30), sqnr_db=60.0)
    assert "convolutions are integer: onednn::qconv_pointwise" in explain_compiled(int8)
    assert "still fp32: aten::mkldnn_convolution" in explain_compiled(fp32)
    assert "does not run: NotImplementedError: no." in explain_compiled(
        Compiled(True, False, "NotImplementedError: no")
    )


def test_profiler_sees_the_ops_of_a_qdq_graph() -> None:
    gm = quantized(Case(model="conv_relu"))
    calls = lowering.kernel_calls(gm, example_inputs())
    assert calls.qdq == 5 and not calls.int8
    assert calls.total > calls.qdq


def test_hand_written_integer_graphs_look_like_torchaos() -> None:
    """The exercise's graphs are written by hand, because rewriting takes seconds; a real one has the same nodes."""
    from common.checks.m07_2._graphs import integer_graph

    gm = integer_graph(Case(form="linear"))
    assert lowering.out_dtype_ops(gm) == Counter(linear=1, div=1, mul=1)
    (node, *_rest) = (n for n in gm.graph.nodes if "out_dtype" in str(n.target))
    assert node.target is torch.ops.higher_order.out_dtype
    assert node.args[:2] == (torch.ops.aten.linear.default, torch.int32)
    gm(torch.randn(4, 6, 8, 6))
