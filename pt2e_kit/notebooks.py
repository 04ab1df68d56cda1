"""Cells of notebooks: what is an answer, what is graded, what students may see. Reading files: `pt2e_kit.reading`."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from nbformat import NotebookNode

from common.exercise.source import parse
from pt2e_kit.reading import KERNELSPEC as KERNELSPEC
from pt2e_kit.reading import Unreadable as Unreadable
from pt2e_kit.reading import read_notebook as read_notebook
from pt2e_kit.reading import whole_text as whole_text

STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB = "YOUR ANSWER HERE"
SOLUTION = re.compile(
    r"^(?P<indent>[ \t]*)### BEGIN SOLUTION[^\n]*\n.*?^[ \t]*### END SOLUTION[^\n]*$", re.MULTILINE | re.DOTALL
)
HIDDEN = re.compile(
    r"^[ \t]*### BEGIN HIDDEN TESTS[^\n]*\n.*?^[ \t]*### END HIDDEN TESTS[^\n]*\n?", re.MULTILINE | re.DOTALL
)


def grade_metadata(cell: NotebookNode) -> dict[str, Any]:
    """Return the nbgrader metadata of a cell; empty where it has none or nonsense."""
    found = cell.get("metadata", {}).get("nbgrader", {})
    return found if isinstance(found, dict) and isinstance(found.get("grade_id"), str) else {}


def is_answer(cell: NotebookNode) -> bool:
    """Whether students write into this cell (nbgrader: solution)."""
    return bool(grade_metadata(cell).get("solution"))


def is_graded(cell: NotebookNode) -> bool:
    """Whether the cell has a score."""
    return bool(grade_metadata(cell).get("grade"))


def without_solution(source: str, cell_type: str = "code") -> str:
    """Return the source as students get it: each solution region replaced by the stub.

    A solution cell without a region is replaced as a whole, as nbgrader does.
    """
    stub = STUB if cell_type == "code" else TEXT_STUB

    def replace(match: re.Match[str]) -> str:
        return "\n".join(match["indent"] + line for line in stub.split("\n"))

    new, count = SOLUTION.subn(replace, source)
    return new if count else stub


def without_hidden(source: str) -> str:
    """Return the source of a test cell as students see it."""
    return HIDDEN.sub("", source).rstrip("\n")


@dataclass(frozen=True)
class ExerciseCell:
    """A test cell of one of the kit's exercises in an instructor notebook."""

    index: int
    grade_id: str
    exercise_id: str
    cases: list[dict[str, Any]] = field(default_factory=list)


def exercise_cells(notebook: NotebookNode) -> Iterator[ExerciseCell]:
    """Yield the cells that call ``evidence("<exercise id>", cases=[…])``, in order.

    Raises:
        ValueError: the call's arguments are not plain literals. That is an author's error.
    """
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not is_graded(cell) or "evidence(" not in cell.source:
            continue
        for call in _evidence_calls(cell.source):
            exercise_id, cases = evidence_arguments(call)
            yield ExerciseCell(index, grade_metadata(cell)["grade_id"], exercise_id, cases)


def _evidence_calls(source: str) -> list[ast.Call]:
    try:
        tree = parse(source)
    except SyntaxError:
        return []
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "evidence"]


def evidence_arguments(call: ast.Call) -> tuple[str, list[dict[str, Any]]]:
    """Return exercise id and cases of an `evidence` call."""
    try:
        (exercise_id,) = (ast.literal_eval(a) for a in call.args)
        keywords = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    except ValueError:
        line = call.lineno
        raise ValueError(f"line {line}: evidence() takes an id and cases=[…] as plain literals") from None
    return exercise_id, list(keywords.get("cases", []))


def with_cases(source: str, exercise_id: str, cases: list[dict[str, Any]]) -> str:
    """Return the source of a test cell with the cases of its `evidence` call replaced."""
    (call,) = (c for c in _evidence_calls(source) if evidence_arguments(c)[0] == exercise_id)
    lines = source.split("\n")
    assert call.end_lineno is not None and call.end_col_offset is not None
    before = [*lines[: call.lineno - 1], lines[call.lineno - 1].encode()[: call.col_offset].decode()]
    after = [lines[call.end_lineno - 1].encode()[call.end_col_offset :].decode(), *lines[call.end_lineno :]]
    return "\n".join(before) + f"evidence({exercise_id!r}, cases={cases!r})" + "\n".join(after)
