"""Reads the instructor notebooks: answers and hidden cases by exercise."""

import ast
from functools import cache
from pathlib import Path

import nbformat

from common.exercise import Case

ROOT = Path(__file__).resolve().parent.parent


@cache
def _cells(lesson: str) -> dict[str, str]:
    (path,) = ROOT.glob(f"source/*/{lesson}_*.ipynb")
    return {c.id: c.source for c in nbformat.read(path, as_version=4).cells}


def _source(lesson: str, cell_id: str) -> str:
    cells = _cells(lesson)
    assert cell_id in cells, (
        f"the notebook of {lesson} in source/ has no cell with the id {cell_id!r}: put the exercise's three cells "
        "into it, as pt2e-kit new-exercise does, then run pt2e-kit fmt"
    )
    return cells[cell_id]


def imports(lesson: str) -> str:
    """The lesson's imports, which an answer may use."""
    return _cells(lesson)["imports"]


def answer_cells(exercise_id: str) -> tuple[str, str]:
    """The instructor's solution and the stub that students get."""
    lesson, _dot, name = exercise_id.partition(".")
    source = _source(lesson, f"{lesson}-{name}-answer")
    lines, stub, inside = source.splitlines(), [], False
    for line in lines:
        if "### BEGIN SOLUTION" in line:
            inside = True
            indent = line[: len(line) - len(line.lstrip())]
            stub.append(f"{indent}raise NotImplementedError()")
        elif "### END SOLUTION" in line:
            inside = False
        elif not inside:
            stub.append(line)
    return source, "\n".join(stub)


def hidden_cases(exercise_id: str) -> list[Case]:
    """The hidden cases of an exercise as its notebook lists them, each with a seed as the grader would add."""
    lesson, _dot, name = exercise_id.partition(".")
    for node in ast.walk(ast.parse(_source(lesson, f"{lesson}-{name}"))):
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "evidence":
            cases = [ast.literal_eval(k.value) for k in node.keywords if k.arg == "cases"]
            return [Case(**{"seed": 100 + i} | case) for i, case in enumerate(cases[0] if cases else [])]
    raise AssertionError(f"{exercise_id}: its test cell calls no evidence()")
