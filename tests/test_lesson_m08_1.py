"""The facts that lesson m08_1 shows, and what its judge does with files of every kind."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch

from common.backends import xnnpack
from common.backends.pte import run_pte
from common.backends.xnnpack import delegated_graphs, in_steps, is_op, lower, pte_bytes, readable, step_of_output
from common.checks.m08_1._files import edge_program, example, quantized
from common.checks.m08_1.to_pte import ToPte
from common.env import quiet
from common.exercise import Case
from common.exercise.evidence import Recorder
from common.exercise.judging import judge_pieces
from common.lessons import find_lesson
from common.models import example_inputs, get_model
from common.platform_checks import PARTS, missing_parts

quiet()

needs_executorch = pytest.mark.skipif(not PARTS["executorch"].check().good, reason="executorch is not installed")

PUBLIC = ToPte.public_cases[0]


def _judged(data: bytes | None, returned: str = "bytes"):
    """Judge bytes as if an answer had returned them."""
    ev = Recorder(ToPte(), PUBLIC)
    ev.fact("returned", returned)
    if data is not None:
        ev.fact("size", len(data))
        ev.tensor("pte", torch.frombuffer(bytearray(data), dtype=torch.uint8))
    return judge_pieces(ToPte(), (), {PUBLIC.digest: [ev.piece()]})


@needs_executorch
def test_int8_file_gives_the_graphs_integers() -> None:
    """Sections 2 and 3: delegated as a whole, and nearly all outputs are the same integers."""
    case = Case(model="conv_relu")
    graph, (x,) = quantized(case), example(case)
    result = run_pte(pte_bytes(graph, (x,)), (x,))
    assert result.done and result.static and result.shapes == ((4, 3, 16, 16),)
    assert result.delegates == ("XnnpackBackend",) and not result.kernels
    steps = in_steps(result.outputs[0], graph(x), step_of_output(graph))
    assert steps.max() < 1.01
    assert (steps < 0.5).float().mean() > 0.99


@needs_executorch
def test_pyramid_is_delegated_in_two_parts() -> None:
    """Section 4: one op outside makes two delegates, and getitem is no op."""
    program = edge_program(Case(model="pyramid"))
    assert len(delegated_graphs(program)) == 2
    assert [n.name for n in program.graph.nodes if is_op(n)] == ["aten__adaptive_avg_pool2d_default"]
    shown = readable(program.graph_module)
    assert "adaptive_avg_pool2d" in {n.name for n in shown.graph.nodes}
    assert "getitem" in " ".join(n.name for n in program.graph.nodes)


@needs_executorch
def test_an_answer_gets_a_program_of_its_own() -> None:
    """Programs are kept between cases: what an answer does to its copy must not reach the next one or the judge."""
    case = Case(model="pyramid")
    mine = edge_program(case)
    for graph in (mine.graph, delegated_graphs(mine)[0].graph):
        graph.call_function(len, ())
    other = edge_program(case)
    graphs = [other.graph, *(gm.graph for gm in delegated_graphs(other))]
    assert len(graphs) == 3
    assert not any(node.target is len for graph in graphs for node in graph.nodes)


@needs_executorch
def test_a_graph_without_a_partitioner_becomes_no_file() -> None:
    program = lower(quantized(Case(model="conv_relu")), example_inputs(), partitioner=False)
    with pytest.raises(RuntimeError, match="Missing out variants"):
        program.to_executorch()


@needs_executorch
def test_a_free_batch_is_not_kept() -> None:
    """Section 5: whatever the file declares as the largest batch is what it takes."""
    from executorch.backends.xnnpack.partition.xnnpack_partitioner import XnnpackPartitioner
    from executorch.exir import to_edge_transform_and_lower

    free = torch.export.Dim("batch", min=1, max=64)
    exported = torch.export.export(get_model("conv_relu").eval(), example_inputs(), dynamic_shapes=({0: free},))
    pte = to_edge_transform_and_lower(exported, partitioner=[XnnpackPartitioner()]).to_executorch().buffer
    result = run_pte(pte, example_inputs(4))
    assert result.done and not result.static
    most = result.shapes[0][0]
    assert run_pte(pte, example_inputs(most)).done
    assert not run_pte(pte, example_inputs(most + 1)).done


@needs_executorch
@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"PK\x03\x04" + bytes(100), "exported-not-lowered"),
        (b"no file at all", ""),
        (bytes(5000), ""),
        (b"\x3c\x00\x00\x00ET12" + b"\xff" * 3000, ""),
    ],
    ids=["zip", "text", "zeros", "damaged"],
)
def test_the_judge_survives_every_file(data: bytes, status: str, capfd: pytest.CaptureFixture[str]) -> None:
    verdict = _judged(data)
    assert verdict.score == 0 and not verdict.notes
    kinds = {(f["misconception"] or "").partition("/")[2] for f in verdict.findings}
    assert not status or status in kinds
    assert capfd.readouterr() == ("", "")


@needs_executorch
def test_a_file_of_another_graph_earns_no_numbers() -> None:
    """Right in everything but what it computes: another seed's weights."""
    verdict = _judged(pte_bytes(quantized(Case(model=PUBLIC.model, seed=5)), example(PUBLIC)))
    assert verdict.earned == {
        "a file that runs": True,
        "delegated": True,
        "static batch": True,
        "same integers": False,
    }


def test_odd_evidence_is_malformed_and_not_a_crash() -> None:
    ev = Recorder(ToPte(), PUBLIC)
    ev.fact("returned", "bytes")
    ev.fact("size", 8)
    ev.tensor("pte", torch.zeros(2, 2))
    verdict = judge_pieces(ToPte(), (), {PUBLIC.digest: [ev.piece()]})
    assert verdict.score == 0
    assert _judged(None, "list").score == 0


def test_the_lesson_needs_executorch() -> None:
    assert find_lesson("m08_1").needs == ("executorch",)


def test_without_executorch_a_cell_says_what_it_would_show(monkeypatch: pytest.MonkeyPatch) -> None:
    from common.exercise import notebook

    parts = missing_parts(("executorch",)) or [PARTS["executorch"]]
    monkeypatch.setattr(xnnpack, "missing_parts", lambda ids: parts)
    assert not xnnpack.available()
    assert "make backends" in xnnpack.would_show("a table") and "a table" in xnnpack.would_show("a table")
    monkeypatch.setattr(notebook, "missing_parts", lambda ids: parts if ids else [])
    notebook.check("m08_1.to_pte")  # says what is missing, and does not raise


@pytest.mark.slow
def test_every_cell_runs_without_executorch(tmp_path: Path) -> None:
    """The instructor's notebook as a script, with executorch hidden: nothing raises."""
    notebook = Path(__file__).parent.parent / "source/m08_xnnpack/m08_1_a_pte_that_runs.ipynb"
    cells: list[dict[str, Any]] = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    source = [
        "import sys",
        "sys.modules['executorch'] = None",
        "from common import platform_checks",
        "platform_checks._package('executorch')",
        "import dataclasses",
        "gone = dataclasses.replace(platform_checks.PARTS['executorch'], check=lambda: platform_checks.Found(False))",
        "platform_checks.PARTS['executorch'] = gone",
        "import matplotlib; matplotlib.use('agg')",
    ]
    for cell in cells:
        text = "".join(cell["source"]).partition("### BEGIN HIDDEN TESTS")[0]
        if cell["cell_type"] == "code":
            source.append(text)
    script = tmp_path / "lesson.py"
    script.write_text("\n\n".join(source), encoding="utf-8")
    root = Path(__file__).parent.parent
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=600, check=False, cwd=tmp_path,
        env={"PYTHONPATH": str(root), "PATH": "/usr/bin:/bin", "HOME": str(tmp_path), "PT2E_KIT_PROGRESS": "off"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert done.stdout.count("make backends") > 8
