"""The facts that lesson m07_1 shows. Nothing here asks for a time, or for the kernel of a certain machine."""

import pytest
import torch
from torch import nn

from common.checks.m07_1._functions import has_engine, integer_function
from common.checks.m07_2._graphs import quantized
from common.env import cpu_profile, quiet
from common.exercise import Case
from common.graph_utils import op_counts
from common.models import example_inputs
from common.profiling import (
    MEMORY_OPS,
    below,
    call_tree,
    computes_in_int8,
    is_op,
    kernels,
    kernels_among,
    profiled,
)

quiet()


@pytest.mark.parametrize("model", ["conv_relu", "linear_relu"])
def test_a_qdq_graph_runs_all_kernels_of_the_fp32_graph_and_more(model: str) -> None:
    (x,) = example_inputs()
    before, after = (kernels(quantized(Case(model=model, quantizer=q)), x) for q in ("none", "xnnpack"))
    assert before and not before - after and sum(after.values()) > 2 * sum(before.values())
    assert not any(computes_in_int8(name) for name in after)


def test_outermost_events_are_the_ops_of_the_graph() -> None:
    gm = quantized(Case(model="conv_relu", quantizer="none"))
    events = profiled(gm, *example_inputs())
    assert [e.name for e in events if e.cpu_parent is None] == [f"aten::{name}" for name in op_counts(gm)]


def test_a_kernel_holds_memory_ops_only() -> None:
    events = profiled(quantized(Case(model="conv_relu")), *example_inputs())
    found = [e for e in events if kernels_among([e])]
    assert found and all(inner.name in MEMORY_OPS for e in found for inner in below(e) if is_op(inner))
    assert not {e.name for e in found} & {"aten::conv2d", "aten::convolution", "aten::_convolution", "aten::relu"}
    tree = call_tree(events)
    assert sum(n.name.startswith("kernel") for n in tree.nodes) == len(found)


def test_counts_are_the_same_each_time() -> None:
    gm, (x,) = quantized(Case(model="residual")), example_inputs()
    assert kernels(gm, x) == kernels(gm, x) == kernels(quantized(Case(model="residual")), x)


def test_the_first_call_of_a_lazy_module_draws_its_weight() -> None:
    lazy, x, found = nn.LazyLinear(4), torch.ones(2, 8), []
    for _call in range(2):
        with torch.no_grad(), cpu_profile() as prof:
            lazy(x)
        found.append(kernels_among(prof.events() or []))
    assert "aten::uniform_" in found[0] and "aten::uniform_" not in found[1]


def test_an_engine_computes_in_int8() -> None:
    if not has_engine():
        pytest.skip("this build of torch has no engine for int8 tensors")
    assert any(computes_in_int8(name) for name in kernels(integer_function(), *example_inputs()))


def test_the_profiler_keeps_quiet(capfd: pytest.CaptureFixture[str]) -> None:
    profiled(torch.relu, torch.ones(3))
    out, err = capfd.readouterr()
    assert not out and not err


def test_a_conv_has_one_kernel_without_mkldnn_too() -> None:
    gm, (x,) = quantized(Case(model="conv_relu", quantizer="none")), example_inputs()
    with torch.backends.mkldnn.flags(enabled=False):
        found = kernels(gm, x)
    assert not any("mkldnn" in name for name in found)
    assert sum(n for name, n in found.items() if "conv" in name) == 1
