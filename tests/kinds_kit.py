"""What the tests of kinds of submissions share: grading of the tiny course without a kernel."""

import ast
import builtins
import contextlib
import io
from types import SimpleNamespace
from typing import Any

import pytest
from grading_kit import make_cases, notes, scores
from nbformat import NotebookNode
from nbformat.v4 import new_output

from pt2e_kit.grading import notebook as one_notebook
from pt2e_kit.grading import pipeline
from pt2e_kit.grading.executed import Executed

GOOD: dict[str, str] = make_cases.GOOD
SQUARE = GOOD["q1"]
STUBS = {
    "q1": f"def square(x):\n    {make_cases.STUB}".replace("\nraise", "\n    raise"),
    "q2": f"def mean(xs):\n    {make_cases.STUB}".replace("\nraise", "\n    raise"),
    "q3": f"def score_words(ws):\n    {make_cases.STUB}".replace("\nraise", "\n    raise"),
    "m4": "YOUR ANSWER HERE",
}
FULL = [2, 3, 4, None]
"""All points of the tiny course; the last is for a person to give."""


def without_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    """Run plain cells here, one after the other: enough for what happens before a kernel runs, and quick."""

    def helper_or_module(name: str, *more: Any) -> Any:
        if name == "common":  # that of the tiny course, not ours
            return SimpleNamespace(ref_mean=lambda xs: sum(xs) / len(xs))
        return builtins.__import__(name, *more)

    def execute(notebook: NotebookNode, *_how: Any, **_more: Any) -> Executed:
        result = Executed()
        names: dict[str, Any] = {"__builtins__": vars(builtins) | {"__import__": helper_or_module}}
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                result.statuses[index] = _run(cell, names)
        return result

    monkeypatch.setattr(one_notebook, "execute", execute)


def _run(cell: NotebookNode, names: dict[str, Any]) -> str:
    try:
        body = ast.parse(cell.source).body
        last = body.pop() if body and isinstance(body[-1], ast.Expr) else None
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(ast.Module(body, []), "cell", "exec"), names)
            shown = eval(compile(ast.Expression(last.value), "cell", "eval"), names) if last else None
        if shown is not None:
            cell.outputs.append(new_output("execute_result", {"text/plain": repr(shown)}))
        return "ok"
    except Exception as error:
        cell.outputs.append(new_output("error", ename=type(error).__name__, evalue=str(error), traceback=[]))
        return "error"


def assert_repaired(graded: pipeline.Graded, *words: str, points: list[float | None] | None = None) -> None:
    """It got all points (or these), the instructor is told these words as repairs, and nothing looks dishonest."""
    assert graded.result["state"] == "graded", notes(graded)
    assert scores(graded) == (FULL if points is None else points), notes(graded)
    for word in words:
        assert word in notes(graded, "repair")
    if not words:
        assert not notes(graded)
    assert not notes(graded, "suspicion")
