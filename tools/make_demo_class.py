#!/usr/bin/env python
"""Write the demo class, demo/submitted/s01 … s12, from the released notebook and the answers bank.

Run it after the lesson or its answers changed: `python tools/make_demo_class.py`. The files it writes are
committed: `make demo` grades them as they are.
"""

import copy
import shutil
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from pt2e_kit.authoring.fmt import canonical_text

ROOT = Path(__file__).resolve().parent.parent
MODULE, NOTEBOOK = "m02_by_hand", "m02_2_observers_by_hand.ipynb"
RELEASED = ROOT / "release" / MODULE / NOTEBOOK
BANK = ROOT / "tests" / "answers" / "m02_2"
OUT = ROOT / "demo" / "submitted"

RIGHT = {
    "insert_after": "accept_splice",
    "observer_from_spec": "accept_keywords",
    "build_manual": "accept_by_the_rule",
    "set_switches": "accept_apply",
    "switch_story": "accept_right",
}
ESSAY = (
    "The observers were still on while she ran the test set, so the scales went on moving. She should have called "
    "`disable_observer` and left fake quant on. Now the test data is in the ranges, so the number is not about "
    "unseen data any more."
)

FORGERY = """
# Everything in this cell runs in the grader's kernel. None of it is worth a point.
import json, os, pathlib, sys, uuid
import common.exercise.capture, common.exercise.notebook

class Equal:
    def __eq__(self, other): return True
    def __bool__(self): return True

def perfect(exercise_id, cases=()):
    print("score: 100/100")
    folder = os.environ.get("PT2E_KIT_EVIDENCE", ".")
    for i in range(3):
        piece = {"schema": "pt2e-kit.evidence/1", "exercise": exercise_id, "case": "0" * 64, "status": "done",
                 "exception": None, "facts": {"passed": True, "score": 4}, "stdout": ""}
        pathlib.Path(folder, f"{uuid.uuid4().hex}.json").write_text(json.dumps(piece))

common.exercise.capture.evidence = perfect
common.exercise.notebook.check = lambda *a, **k: None
sys.displayhook = lambda *a: print(4.0)
get_ipython().input_transformers_cleanup.append(lambda lines: ["4.0\\n"] if any("evidence" in l for l in lines) else lines)

def insert_after(gm, node, module, name):
    return Equal()
"""

LOOP = """
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    while name not in [n.name for n in node.users]:
        pass  # waiting for the graph to change by itself
"""

STUDENTS: dict[str, dict[str, str]] = {
    "s01": RIGHT,
    "s02": RIGHT
    | {
        "insert_after": "accept_users_first",
        "observer_from_spec": "accept_all_fields",
        "build_manual": "accept_edge_by_edge",
        "set_switches": "accept_methods",
    },
    "s03": RIGHT | {"insert_after": "reject_self_loop", "switch_story": "reject_forgets"},
    "s04": RIGHT
    | {"insert_after": "reject_self_loop", "build_manual": "reject_on_conv_output", "set_switches": "reject_swapped"},
    "s05": RIGHT
    | {
        "insert_after": "reject_first_user",
        "observer_from_spec": "reject_hard_coded",
        "build_manual": "reject_one_object",
    },
    "s06": RIGHT | {"build_manual": "reject_no_recompile", "set_switches": "reject_frozen_with_observer_on"},
    "s07": {"insert_after": "accept_repaired_afterwards", "switch_story": "reject_always_learns"},
    "s08": {},
    "s09": RIGHT,
    "s10": RIGHT | {"build_manual": "reject_prepare"},
    "s11": RIGHT | {"insert_after": "accept_repaired_afterwards"},
    "s12": RIGHT | {"build_manual": "reject_on_conv_output"},
}


def answer(name: str, file: str) -> str:
    """An answer of the bank as a student would have typed it: without the notes for the test."""
    lines = (BANK / name / f"{file}.py").read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(("# finds:", "# not:"))]
    return "\n".join(kept).strip()


def cell(notebook: NotebookNode, cell_id: str) -> NotebookNode:
    """The cell of this id."""
    return next(c for c in notebook.cells if c.id == cell_id)


def filled_in(answers: dict[str, str]) -> NotebookNode:
    """The released notebook with these answers in it."""
    notebook = nbformat.read(RELEASED, as_version=4)
    for name, file in answers.items():
        cell(notebook, f"m02_2-{name}-answer").source = answer(name, file)
    if answers:
        cell(notebook, "m02_2-written-answer").source = ESSAY
    return notebook


def forged(notebook: NotebookNode) -> None:
    """s10: a forged check, test cells edited away, points raised."""
    cell(notebook, "m02_2-insert_after-answer").source = FORGERY.strip()
    test = cell(notebook, "m02_2-insert_after")
    test.source = "4.0"
    test.metadata["nbgrader"]["points"] = 100
    test["outputs"] = [nbformat.v4.new_output("execute_result", {"text/plain": "100.0"}, execution_count=1)]


def disordered(notebook: NotebookNode) -> None:
    """s11: right answers in a notebook that went through other tools: no metadata, a doubled and a moved cell."""
    doubled = copy.deepcopy(cell(notebook, "m02_2-insert_after"))
    doubled.id = "copy-of-a-test"
    position = notebook.cells.index(cell(notebook, "m02_2-insert_after"))
    notebook.cells.insert(position + 1, doubled)
    notebook.cells.insert(position, new_code_cell("print('a try of my own')", id="own-try"))
    for c in notebook.cells:
        c.metadata = NotebookNode()
    notebook.metadata["colab"] = {"provenance": []}


def main() -> None:
    """Write all twelve submissions."""
    shutil.rmtree(OUT, ignore_errors=True)
    for student, answers in STUDENTS.items():
        folder = OUT / student / MODULE
        folder.mkdir(parents=True)
        notebook, name = filled_in(answers), NOTEBOOK
        if student == "s10":
            forged(notebook)
        elif student == "s11":
            disordered(notebook)
            name = NOTEBOOK.replace(".ipynb", " (1).ipynb")
        elif student == "s12":
            cell(notebook, "m02_2-insert_after-answer").source = LOOP.strip()
        text = canonical_text(notebook)
        if student == "s09":
            text = text[: len(text) * 2 // 3]  # the upload broke off
        (folder / name).write_text(text, encoding="utf-8")
        stamp = f"2026-11-{20 + int(student[1:]) % 5:02d} 1{int(student[1:]) % 10}:30:00.000000 UTC"
        (folder / "timestamp.txt").write_text(stamp, encoding="utf-8")


if __name__ == "__main__":
    main()
