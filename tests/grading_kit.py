"""What the tests of grading share: tiny courses, submissions, and a look at results."""

import importlib.util
import json
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import jsonschema
import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from pt2e_kit.grading.pipeline import Graded, grade_submission
from pt2e_kit.grading.sandbox import bubblewrap
from pt2e_kit.settings import Limits

ROOT = Path(__file__).resolve().parent.parent
CLASS_SEED = "a class seed for tests only"
QUICK = Limits(cell_seconds=6)
SCHEMA = json.loads((ROOT / "docs" / "results.schema.json").read_text(encoding="utf-8"))


def load_cases() -> ModuleType:
    """tests/cases/make_cases.py as a module."""
    if "make_cases" not in sys.modules:
        spec = importlib.util.spec_from_file_location("make_cases", ROOT / "tests" / "cases" / "make_cases.py")
        assert spec is not None and spec.loader is not None
        sys.modules["make_cases"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["make_cases"])
    return sys.modules["make_cases"]


make_cases = load_cases()


def check_schema(result: dict[str, Any]) -> None:
    """Every result must be as docs/results.schema.json says, and fit into JSON."""
    jsonschema.Draft202012Validator(SCHEMA).validate(json.loads(json.dumps(result, allow_nan=False)))


def grade(source: Path, submission: Path, **more: Any) -> Graded:
    """Grade a submission with limits that suit tests, and check result and notebooks against their schemas."""
    usual = {"class_seed": CLASS_SEED, "limits": QUICK, "unsafe_no_sandbox": bubblewrap() is None}
    graded = grade_submission(source, submission, **usual | more)
    check_schema(graded.result)
    for notebook in graded.notebooks.values():
        nbformat.validate(notebook)
        nbformat.writes(notebook).encode("utf-8")
    return graded


def tiny_source(out: Path) -> Path:
    """The plain course of tests/cases: four graded cells, no torch."""
    make_cases.write_source(str(out))
    return out / "_source" / "a1"


def tiny(**answers: str) -> NotebookNode:
    """A submission for it: the release version with right answers, or these."""
    return make_cases.student(**answers)


def put(folder: Path, notebook: NotebookNode | bytes, name: str = "p1.ipynb") -> Path:
    """Write a notebook (or bytes) into a submission's folder; return the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    data = notebook if isinstance(notebook, bytes) else json.dumps(notebook).encode()
    (folder / name).write_bytes(data)
    return folder


def grade_tiny(tmp_path: Path, notebook: NotebookNode | bytes | None = None, **more: Any) -> Graded:
    """Grade one submission for the tiny course; `more` are answers where no notebook is given, else arguments."""
    if notebook is None:
        notebook, more = tiny(**more), {}
    return grade(tiny_source(tmp_path), put(tmp_path / "handed-in", notebook), **more)


def scores(graded: Graded) -> list[float | None]:
    """All scores in order."""
    return [e["score"] for n in graded.result["notebooks"] for e in n["exercises"]]


def entry(graded: Graded, exercise_id: str) -> dict[str, Any]:
    """The entry of one exercise or cell."""
    (found,) = (e for n in graded.result["notebooks"] for e in n["exercises"] if e["id"] == exercise_id)
    return found


def notes(graded: Graded, kind: str | None = None) -> str:
    """The messages of all notes (of one kind), and the causes, as one text."""
    result = graded.result
    told = [n["message"] for n in result["notes"] if kind in (None, n["kind"])]
    return " | ".join([*told, *(n["cause"] for n in result["notebooks"] if n["cause"] and kind is None)])


def cell(notebook: NotebookNode, grade_id: str) -> NotebookNode:
    """The cell with this grade id."""
    return make_cases.cell(notebook, grade_id)


# A small course with exercises of the kit: the core exercise and the prediction of lesson m02_2, and a question.

INSERT_AFTER = """def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new"""
STORY = 'def switch_story():\n    return ["larger", "same", "same", "larger"]'
HIDDEN_CASE = {"model": "twice_used", "node": "relu", "name": "watcher"}


def exercise_test(exercise_id: str, cases: list[dict[str, Any]] | None = None) -> str:
    """The source of a test cell, as lessons have it."""
    given = f", cases={cases!r}" if cases is not None else ""
    return (
        f'from common import check\n\ncheck("{exercise_id}")\n### BEGIN HIDDEN TESTS\n'
        f'from common import evidence\n\nevidence("{exercise_id}"{given})\n### END HIDDEN TESTS'
    )


def solution(source: str) -> str:
    """An instructor's answer cell: everything behind the first line is the solution."""
    head, _newline, body = source.partition("\n")
    return f"{head}\n    ### BEGIN SOLUTION\n{body}\n    ### END SOLUTION"


def kit_notebook(**answers: str) -> NotebookNode:
    """An instructor notebook with kit exercises; with answers, what a student hands in (q: the written one)."""
    md, student = make_cases.md, bool(answers)
    cases = [HIDDEN_CASE, {"model": "linear_relu", "node": "linear", "name": "probe_0"}]
    tests = {"insert_after": (exercise_test("m02_2.insert_after", cases), 4)}
    tests["switch_story"] = (exercise_test("m02_2.switch_story"), 0)
    given = {"insert_after": INSERT_AFTER, "switch_story": STORY} | answers
    cells = [new_code_cell('from common import lesson\n\nlesson("m02_2")', id="setup")]
    for name, (test, points) in tests.items():
        grade_id = f"m02_2-{name}"
        source = given[name] if student else solution(given[name])
        cells.append(
            new_code_cell(source, id=f"{grade_id}-answer", metadata=md(f"{grade_id}-answer", False, True, False))
        )
        test = test.split("### BEGIN")[0].strip() if student else test
        cells.append(new_code_cell(test, id=grade_id, metadata=md(grade_id, True, False, True, points)))
    text = answers.get("q", "YOUR ANSWER HERE") if student else "### BEGIN SOLUTION\nthe guide\n### END SOLUTION"
    metadata = md("m02_2-written-answer", True, True, False, 3, "markdown")
    cells.append(new_markdown_cell(text, id="m02_2-written-answer", metadata=metadata))
    return new_notebook(cells=cells, metadata={"kernelspec": make_cases.KS})


def kit_source(out: Path, name: str = "lesson.ipynb") -> Path:
    """The folder of a source with `kit_notebook`."""
    return put(out / "kit-source", kit_notebook(), name)
