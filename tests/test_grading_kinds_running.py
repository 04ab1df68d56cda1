"""Kinds of answers that do odd things while they run, and files beside the notebook: run in a kernel, as when grading."""

import json
from pathlib import Path

import pytest
from grading_kit import (
    INSERT_AFTER,
    cell,
    entry,
    grade,
    kit_notebook,
    kit_source,
    notes,
    put,
    scores,
    tiny,
    tiny_source,
)
from kinds_kit import FULL, GOOD, SQUARE
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from pt2e_kit.grading.beside import look_beside
from pt2e_kit.grading.pipeline import Graded
from pt2e_kit.settings import Limits

slow = pytest.mark.slow
MEAN = GOOD["q2"]
TALKS = (
    "\nimport threading, time\ndef talk():\n    while True:\n        print('still here')\n        time.sleep(0.01)\n"
)

ODD = {
    # name: (own cell in front, answers, scores, what a note says)
    "timed": ("", {"q1": f"%%time\n{SQUARE}"}, FULL, ""),
    "captured": ("", {"q1": f"%%capture out\n{SQUARE}"}, FULL, ""),
    "timed_line": ("", {"q1": f"{SQUARE}\n%time square(2)\n%timeit -n1 -r1 square(2)"}, FULL, ""),
    "written_and_imported": (f"%%writefile mine.py\n{SQUARE}", {"q1": "from mine import square"}, FULL, ""),
    "written_and_run": (f"%%writefile mine.py\n{SQUARE}", {"q1": "%run mine.py"}, FULL, ""),
    "shell": ("", {"q1": f"!echo hello\nfiles = !ls\n{SQUARE}"}, FULL, ""),
    "reset": ("x = 1", {"q2": f"%reset -f\n{MEAN}"}, FULL, ""),
    "await": ("", {"q1": f"import asyncio\nawait asyncio.sleep(0)\n{SQUARE}"}, FULL, ""),
    "thread": ("", {"q1": f"{SQUARE}{TALKS}threading.Thread(target=talk, daemon=True).start()"}, FULL, ""),
    "thread_that_stays": ("", {"q1": f"{SQUARE}{TALKS}threading.Thread(target=talk).start()"}, FULL, ""),
    "thread_that_fails": (
        "",
        {"q1": f"{SQUARE}\nimport threading\nthreading.Thread(target=lambda: 1 / 0).start()"},
        FULL,
        "",
    ),
    "sys_exit": ("", {"q2": f"{MEAN}\nimport sys\nsys.exit(3)"}, FULL, ""),
    "quit": ("", {"q2": f"{MEAN}\nquit()"}, FULL, ""),
    "os_exit": (
        "",
        {"q2": "import os\ndef mean(xs):\n    os._exit(0)"},
        [2, 0, 4, None],
        "kernel ended while cell q2t",
    ),
    "print_is_taken": (
        "",
        {"q1": f"def print(*a):\n    raise SystemError\n{SQUARE}"},
        FULL,
        "another meaning to print; the tests q1t, q2t, q3t",
    ),
    "path_is_changed": ("", {"q1": f"import sys\nsys.path.insert(0, '/nowhere')\n{SQUARE}"}, FULL, ""),
    "stdout_is_closed": ("", {"q1": f"import sys\nsys.stdout.close()\n{SQUARE}"}, FULL, ""),
    "warnings_are_errors": ("", {"q1": f"import warnings\nwarnings.simplefilter('error')\n{SQUARE}"}, FULL, ""),
    "names_of_ours": (
        "",
        {"q1": f"check = evidence = Case = torch = common = list = 5\n{SQUARE}"},
        FULL,
        "another meaning to list",
    ),
    "seed": ("", {"q1": f"import random\nrandom.seed(0)\n{SQUARE}"}, FULL, ""),
    "input_in_the_function": ("", {"q2": "def mean(xs):\n    return input()"}, [2, 0, 4, None], "input()"),
    "prompts_of_a_console": ("", {"q1": ">>> def square(x):\n...     return x * x"}, FULL, ""),
}


@slow
@pytest.mark.parametrize("name", ODD)
def test_odd_things_cost_no_more_than_their_own_question(name: str, tmp_path: Path):
    own, answers, expected, words = ODD[name]
    notebook = tiny(**answers)
    if own:
        notebook.cells.insert(1, new_code_cell(own))
    graded = grade(tiny_source(tmp_path), put(tmp_path / "in", notebook))
    assert graded.result["state"] == "graded" and scores(graded) == expected, notes(graded)
    assert words in notes(graded) and bool(words) == bool(notes(graded))


# ---------------------------------------------------------------- files beside the notebook

HOSTILE = "raise RuntimeError('read from the submission')"
SHADOWS = ("torch.py", "random.py", "nbgrader.py", "json/__init__.py", "common/__init__.py", "IPython/__init__.py")
STARTERS = ("sitecustomize.py", "usercustomize.py", "conftest.py", "x.pth", "ipython_config.py")


def beside(folder: Path, **files: str) -> Path:
    for name, content in files.items():
        put(folder / Path(name).parent, content.encode(), Path(name).name)
    return folder


@slow
def test_files_that_would_hide_modules_are_not_used(tmp_path: Path):
    folder = put(tmp_path / "in", tiny())
    beside(folder, **dict.fromkeys((*SHADOWS, *STARTERS, "common.py"), HOSTILE))
    assert scores(grade(tiny_source(tmp_path), folder)) == FULL


def told_beside(tmp_path: Path, **files: str) -> str:
    source = tiny_source(tmp_path)
    beside(source, **{"data/x.csv": "1,2"})
    found = look_beside(source, beside(put(tmp_path / "in", tiny()), **files))
    return " | ".join(f"{n.kind}: {n.message}" for n in found.notes)


def test_what_lies_beside_is_told(tmp_path: Path):
    told = told_beside(tmp_path, **dict.fromkeys((*SHADOWS, *STARTERS), HOSTILE))
    hiding, starting = told.split(" | ")
    assert hiding.startswith("repair: ") and all(name in hiding for name in SHADOWS)
    assert starting.startswith("suspicion: ") and all(name in starting for name in STARTERS)


def test_changed_files_of_the_course_are_told(tmp_path: Path):
    told = told_beside(tmp_path, **{"common.py": HOSTILE, "a1/data/x.csv": "1,2,3"})
    assert (
        told == "repair: these files of the course were changed; the course's own were used: a1/data/x.csv, common.py"
    )


def test_files_of_the_course_and_harmless_ones_get_no_note(tmp_path: Path):
    files = {
        "common.py": (tiny_source(tmp_path) / "common.py").read_text(),
        "data/x.csv": "1,2",
        "a1/data/x.csv": "1,2",
    }
    more = {"mine.py": "x = 1", "notes.txt": "", "p1.html": "", "timestamp.txt": "", "package/__init__.py": ""}
    assert told_beside(tmp_path, **files, **more) == ""


def missed(tmp_path: Path, output: dict[str, str], **files: str) -> str:
    notebook = tiny()
    cell(notebook, "q1").outputs = [NotebookNode(output_type="error", ename="E", traceback=[], **output)]
    found = look_beside(tiny_source(tmp_path), beside(put(tmp_path / "in", tiny()), **files))
    return " | ".join(f"{n.kind}: {n.message}" for n in found.missed_in(notebook))


@pytest.mark.parametrize(
    ("evalue", "name"),
    [
        ("No module named 'mine'", "mine.py"),
        ("No module named 'mine.part'", "mine/__init__.py"),
        ("No module named 'mine'", "src/mine.py"),
        ("[Errno 2] No such file or directory: 'my data.csv'", "my data.csv"),
        ("[Errno 2] No such file or directory: 'C:\\\\work\\\\my.csv'", "data/my.csv"),
    ],
)
def test_what_was_missed_is_told_with_a_way_out(evalue: str, name: str, tmp_path: Path):
    told = missed(tmp_path, {"evalue": evalue}, **{name: "x = 1", "other.py": "x = 1"})
    assert told.startswith(f"repair: {name} was handed in and was not found")
    assert "add it to the course's source folder" in told and "other.py" not in told


@pytest.mark.parametrize("evalue", ["No module named 'absent'", "No such file or directory: 'absent.csv'", "mine", ""])
def test_what_nobody_handed_in_is_not_told(evalue: str, tmp_path: Path):
    assert missed(tmp_path, {"evalue": evalue}, **{"mine.py": "x = 1"}) == ""


# ---------------------------------------------------------------- the same for the kit's own exercises


def graded_kit(tmp_path: Path, notebook: NotebookNode, **files: str) -> Graded:
    folder = put(tmp_path / "in", notebook, "lesson.ipynb")
    return grade(kit_source(tmp_path), beside(folder, **files), limits=Limits(cell_seconds=120))


def odd_names() -> NotebookNode:
    notebook = kit_notebook(q="Because.")
    names = "check = evidence = Case = torch = common = list = hint = 5\nimport sys\nsys.path.insert(0, '.')"
    notebook.cells.insert(1, new_code_cell(names))
    return notebook


def in_disorder() -> NotebookNode:
    """Reversed and bare, saved as version 3, the answer below a stub, under %%time."""
    notebook = kit_notebook(q="Because.", insert_after="def insert_after(gm, node, module, name):\n    pass")
    notebook.cells[
        1
    ].source = "def insert_after(gm, node, module, name):\n    # YOUR CODE HERE\n    raise NotImplementedError()"
    notebook.cells.append(new_code_cell(f"%%time\n{INSERT_AFTER}"))
    notebook.cells.reverse()
    for number, c in enumerate(notebook.cells):
        c.metadata, c["id"] = NotebookNode(), f"other-{number}"
    return notebook


def talking() -> NotebookNode:
    notebook = kit_notebook(q="Because.")
    notebook.cells.insert(1, new_code_cell(f"{TALKS}threading.Thread(target=talk).start()"))
    return notebook


@slow
@pytest.mark.parametrize("make", [odd_names, in_disorder, talking])
def test_exercises_of_the_kit_get_their_points(make, tmp_path: Path):
    graded = graded_kit(tmp_path, make(), **dict.fromkeys((*SHADOWS, *STARTERS), HOSTILE))
    assert graded.result["state"] == "graded" and scores(graded) == [4, 0, None], notes(graded)
    assert entry(graded, "m02_2.switch_story")["findings"] == []


@slow
def test_a_disguised_shortcut_earns_nothing(tmp_path: Path):
    source = (
        "import common.graph_utils as g\nlook = getattr\n"
        "def insert_after(gm, node, module, name):\n    return look(g, 'spl' + 'ice')(gm, node, module, name)"
    )
    graded = graded_kit(tmp_path, kit_notebook(q="", insert_after=source))
    core = entry(graded, "m02_2.insert_after")
    assert core["score"] == 0 and "m02_2.insert_after/shortcut" in json.dumps(core["findings"])


# ---------------------------------------------------------------- through the whole of grading


@slow
def test_an_import_that_failed_because_helpers_come_from_the_course_is_told(tmp_path: Path):
    notebook = tiny(q1="from mine import square", q2="def mean(xs):\n    import other\n    return 0")
    folder = beside(put(tmp_path / "in", notebook), **{"mine.py": SQUARE, "other.py": "", "unused.py": ""})
    graded = grade(tiny_source(tmp_path), folder)
    assert scores(graded) == [0, 0, 4, None]
    told = notes(graded, "repair")
    assert "mine.py was handed in and was not found" in told and "other.py was" in told and "unused" not in told


@slow
def test_the_same_for_an_exercise_of_the_kit(tmp_path: Path):
    source = "def insert_after(gm, node, module, name):\n    import mine\n    return mine.go(gm, node, module, name)"
    graded = graded_kit(tmp_path, kit_notebook(q="", insert_after=source), **{"mine.py": INSERT_AFTER})
    assert scores(graded)[0] == 0 and "mine.py was handed in and was not found" in notes(graded, "repair")


@slow
def test_swapped_names_and_shadows_through_the_whole_of_grading(tmp_path: Path):
    source = kit_source(tmp_path)
    put(source, (tiny_source(tmp_path) / "p1.ipynb").read_bytes())
    folder = put(put(tmp_path / "in", tiny(), "lesson.ipynb"), kit_notebook(q="Because."), "p1.ipynb")
    graded = grade(source, beside(folder, **{"torch.py": HOSTILE}), limits=Limits(cell_seconds=120))
    assert [n["state"] for n in graded.result["notebooks"]] == ["graded", "graded"]
    assert graded.result["score"] == 4 + 2 + 4  # p1's second test needs the tiny course's own helper
    assert "would hide modules" in notes(graded, "repair") and "renamed: p1.ipynb" in notes(graded, "repair")
