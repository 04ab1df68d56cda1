"""Kinds of cells that were moved, copied, split, retyped, stripped or edited: none costs points, and it is said."""

import copy
import itertools
import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from grading_kit import (
    CLASS_SEED,
    INSERT_AFTER,
    STORY,
    cell,
    grade_tiny,
    kit_notebook,
    make_cases,
    notes,
    scores,
    tiny,
)
from kinds_kit import FULL, GOOD, SQUARE, STUBS, assert_repaired, without_kernel
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from pt2e_kit.grading.rebuild import Rebuilt, rebuild
from pt2e_kit.notebooks import read_notebook


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch: pytest.MonkeyPatch):
    without_kernel(monkeypatch)


def bare(notebook: NotebookNode, ids: bool = False, metadata: bool = False) -> NotebookNode:
    """Without metadata, without the ids that we gave, or both."""
    for number, c in enumerate(notebook.cells):
        c.metadata = c.metadata if metadata else NotebookNode()
        c["id"] = c["id"] if ids else f"other-{number}"
    return notebook


def index(notebook: NotebookNode, grade_id: str) -> int:
    return notebook.cells.index(cell(notebook, grade_id))


def with_cell(at: int | str, new: NotebookNode, **answers: str) -> NotebookNode:
    notebook = tiny(**answers)
    notebook.cells.insert(at if isinstance(at, int) else index(notebook, at), new)
    return notebook


def retyped(notebook: NotebookNode, kind: str) -> NotebookNode:
    for c in notebook.cells:
        c.cell_type = kind
    return notebook


def reversed_cells(notebook: NotebookNode) -> NotebookNode:
    notebook.cells.reverse()
    return notebook


def doubled(notebook: NotebookNode) -> NotebookNode:
    notebook.cells += copy.deepcopy(notebook.cells)
    return notebook


def split(grade_id: str, *sources: str, keep: str = "all") -> NotebookNode:
    """An answer in several cells; the metadata stay with all of them, the first or the last."""
    notebook = tiny()
    at = index(notebook, grade_id)
    pieces = [copy.deepcopy(notebook.cells[at]) for _ in sources]
    for number, (piece, source) in enumerate(zip(pieces, sources, strict=True)):
        piece.source, piece["id"] = source, f"piece-{number}"
        if keep not in ("all", {0: "first", len(sources) - 1: "last"}.get(number)):
            piece.metadata = NotebookNode()
    notebook.cells[at : at + 1] = pieces
    return notebook


def moved(grade_id: str, behind: str) -> NotebookNode:
    notebook = tiny()
    found = notebook.cells.pop(index(notebook, grade_id))
    notebook.cells.insert(index(notebook, behind) + 1, found)
    return notebook


def shuffled(notebook: NotebookNode) -> NotebookNode:
    random.Random(5).shuffle(notebook.cells)
    return notebook


def all_in_one() -> NotebookNode:
    notebook = tiny()
    code = "\n".join(c.source for c in notebook.cells if c.cell_type == "code")
    return new_notebook(cells=[new_code_cell(code), notebook.cells[-1]])


def question_answered_at_the_top() -> NotebookNode:
    notebook = tiny()
    del notebook.cells[-1]
    notebook.cells.insert(0, new_markdown_cell(GOOD["m4"]))
    return notebook


ELSEWHERE = "stood in another cell"
BARE = "had lost their metadata"
REPAIRED: dict[str, tuple[Callable[[], NotebookNode], list[str]]] = {
    # name: (submission, what the instructor is told)
    "reversed": (lambda: reversed_cells(tiny()), []),
    "reversed_and_bare": (lambda: reversed_cells(bare(tiny())), [BARE, "in a cell of its own"]),
    "shuffled": (lambda: shuffled(tiny()), []),
    "without_metadata": (lambda: bare(tiny(), ids=True), [BARE]),
    "without_ids": (lambda: bare(tiny(), metadata=True), []),
    "without_both": (lambda: bare(tiny()), [BARE]),
    "answer_below_its_test": (lambda: moved("q1", "q1t"), []),
    "answer_at_the_end": (lambda: moved("q1", "m4"), []),
    **{f"all_{k}": (lambda k=k: retyped(tiny(), k), []) for k in ("code", "markdown", "raw")},
    **{f"all_{k}_and_bare": (lambda k=k: retyped(bare(tiny()), k), [BARE]) for k in ("code", "markdown", "raw")},
    "all_doubled": (lambda: doubled(tiny()), ["is there 2 times"]),
    "all_doubled_and_bare": (lambda: doubled(bare(tiny())), [BARE]),
    "all_in_one_cell": (all_in_one, [ELSEWHERE]),
    "answered_above_the_stub": (lambda: with_cell("q1", new_code_cell(SQUARE), q1=STUBS["q1"]), [ELSEWHERE]),
    "answered_below_the_stub": (lambda: with_cell("q1t", new_code_cell(SQUARE), q1=STUBS["q1"]), [ELSEWHERE]),
    "answered_below_the_test": (lambda: with_cell("q2", new_code_cell(SQUARE), q1=STUBS["q1"]), [ELSEWHERE]),
    "answered_at_the_end": (lambda: with_cell(8, new_code_cell(SQUARE), q1=STUBS["q1"]), [ELSEWHERE]),
    "answered_in_raw": (lambda: with_cell("q1t", new_raw_cell(SQUARE), q1=STUBS["q1"]), [ELSEWHERE]),
    "cell_emptied": (lambda: with_cell(8, new_code_cell(SQUARE), q1=" \n"), [ELSEWHERE]),
    "cell_says_see_below": (lambda: with_cell(8, new_code_cell(SQUARE), q1="# see below"), [ELSEWHERE]),
    "cell_says_something_else": (lambda: with_cell(8, new_code_cell(SQUARE), q1="x = 1"), [ELSEWHERE]),
    "defined_in_the_cell_of_another": (
        lambda: tiny(q1="# in the next question's cell", q2=f"{GOOD['q2']}\n{SQUARE}"),
        [ELSEWHERE],
    ),
    "defined_before": (lambda: with_cell(1, new_code_cell(SQUARE), q1="x = square(2)"), []),
    "definitions_exchanged": (lambda: tiny(q1=GOOD["q2"], q2=SQUARE), [ELSEWHERE]),
    "defined_twice": (lambda: tiny(q1="def square(x):\n    return 0\n\n\n" + SQUARE), []),
    "another_form": (lambda: tiny(q1="square = lambda x: x * x"), []),
    "another_form_and_bare": (lambda: bare(tiny(q1="square: object = lambda x: x * x")), [BARE]),
    **{
        f"split_in_the_middle_{keep}": (
            lambda keep=keep: split("q1", "def square(x):", "    return x * x", keep=keep),
            ["split in the middle"],
        )
        for keep in ("all", "first", "last")
    },
    "split_in_three": (
        lambda: split("q1", "def square(x):", "    y = x * x", "    return y"),
        ["split in the middle"],
    ),
    "split_between_functions": (
        lambda: split("q1", "def helper(x):\n    return x * x", "def square(x):\n    return helper(x)", keep="first"),
        [],
    ),
    "question_answered_at_the_top": (question_answered_at_the_top, ["m4 stood in a cell of its own"]),
    "question_answered_in_raw": (
        lambda: with_cell(8, new_raw_cell(GOOD["m4"]), m4=STUBS["m4"]),
        ["m4 stood in a cell of its own"],
    ),
    "test_reformatted": (
        lambda: with_test("q1t", "assert (\n    square( 3 )\n    == 9  # mine\n)"),
        ["q1t was reformatted"],
    ),
    "description_edited": (lambda: with_test("intro", "# My notes"), ["intro was edited"]),
    "locked_cells_gone": (
        lambda: new_notebook(cells=[c for c in tiny().cells if not c.metadata["nbgrader"]["locked"]]),
        ["q1t is missing; it was put back", "intro is missing"],
    ),
}


def with_test(grade_id: str, source: str) -> NotebookNode:
    notebook = tiny()
    cell(notebook, grade_id).source = source
    return notebook


@pytest.mark.parametrize("name", REPAIRED)
def test_it_costs_nothing_and_is_said(name: str, tmp_path: Path):
    make, words = REPAIRED[name]
    graded = grade_tiny(tmp_path, make())
    assert_repaired(graded, *words)
    assert any(GOOD["m4"] in c.source for c in graded.notebooks["p1"].cells if c.cell_type == "markdown")


@pytest.mark.parametrize("order", list(itertools.permutations(range(4)))[1::5])
def test_pieces_do_not_depend_on_what_else_is_there(order: tuple[int, ...], tmp_path: Path):
    """A stub, a first try, a helper and the answer, in any order in front of the test: the answer counts."""
    pieces = [STUBS["q1"], "helper = lambda x: x * x", "def square(x):\n    return helper(x)", "print('a try')"]
    notebook = tiny()
    at = index(notebook, "q1")
    stub = notebook.cells.pop(at)
    for number in order:
        new = copy.deepcopy(stub) if number == 0 else new_code_cell(pieces[number])
        new.source = pieces[number]
        notebook.cells.insert(at, new)
    assert_repaired(grade_tiny(tmp_path, notebook), ELSEWHERE)


def test_a_try_that_was_answered_properly_is_only_a_try(tmp_path: Path):
    wrong = "def square(x):\n    return 0"
    for at in ("q1", "q2", 8):
        graded = grade_tiny(tmp_path / str(at), with_cell(at, new_code_cell(wrong)))
        assert scores(graded) == FULL and not notes(graded)


def test_of_several_answers_in_other_cells_the_last_before_the_test_counts(tmp_path: Path):
    notebook = with_cell("q1", new_code_cell("def square(x):\n    return 0"), q1=STUBS["q1"])
    notebook.cells.insert(index(notebook, "q1t"), new_code_cell(SQUARE))
    notebook.cells.append(new_code_cell("def square(x):\n    return 'a try'"))
    assert scores(grade_tiny(tmp_path, notebook)) == FULL


def test_an_answer_to_one_question_is_none_to_another_that_asks_for_the_same_name():
    instructor, submitted = make_cases.source(), tiny()
    cell(instructor, "q3").source = cell(instructor, "q1").source.replace("x * x", "x ** 3")
    cell(submitted, "q3").source = STUBS["q1"]
    submitted.cells.append(copy.deepcopy(cell(submitted, "q1")))
    result = rebuild(instructor, read_notebook(json.dumps(submitted).encode()), class_seed=CLASS_SEED, student="s")
    assert "q3" not in result.answered and cell(result.notebook, "q3").source == STUBS["q1"]


def test_an_answer_of_another_name_is_told_and_not_renamed(tmp_path: Path):
    graded = grade_tiny(tmp_path, q1="def my_square(x):\n    return x * x")
    assert scores(graded) == [0, 3, 4, None]
    assert "q1 defines my_square, and nothing defines square; no name was changed" in notes(graded, "repair")
    assert not notes(grade_tiny(tmp_path / "alias", q1="def my_square(x):\n    return x * x\nsquare = my_square"))


def test_built_in_names_that_tests_need_are_told(tmp_path: Path):
    graded = grade_tiny(tmp_path, q1=f"abs = len = 5\nmax = 3\n{SQUARE}")
    assert scores(graded) == [2, 0, 0, None]
    assert "tests use them: abs, len; nothing was changed" in notes(graded, "repair")


def test_what_is_broken_by_itself_is_not_joined_with_others(tmp_path: Path):
    graded = grade_tiny(tmp_path, split("q1", "def square(x)", "    return x * x"))
    assert scores(graded) == [0, 3, 4, None] and "put together" not in notes(graded)
    graded = grade_tiny(tmp_path / "own", with_cell("q1t", new_code_cell("y = 1"), q1="def square(x)\n    return x"))
    assert scores(graded) == [0, 3, 4, None] and not notes(graded)


def test_a_wrong_answer_in_a_merged_cell_costs_only_its_own_points(tmp_path: Path):
    """The asserts of the tests are cut out of the merged cell: they would stop it in the middle."""
    notebook = all_in_one()
    notebook.cells[0].source = notebook.cells[0].source.replace("return x * x", "return 0")
    assert scores(grade_tiny(tmp_path, notebook)) == [0, 3, 4, None]


@pytest.mark.parametrize(
    ("grade_id", "source", "words"),
    [
        ("q1t", "assert True", "test cell q1t was edited"),
        ("q1t", "# assert square(3) == 9", "test cell q1t was edited"),
        ("q1t", "", "test cell q1t was edited"),
        ("q1t", "assert square(3) == 9 or True", "test cell q1t was edited"),
        ("q1t", '"""\nassert square(3) == 9\n"""', "test cell q1t was edited"),
        ("q1t", "if False:\n    assert square(3) == 9", "test cell q1t was edited"),
        ("q1t", "assert square(3) == 9.0", "test cell q1t was edited"),
    ],
)
def test_an_edited_test_is_ours_again_and_noted(grade_id: str, source: str, words: str, tmp_path: Path):
    notebook = tiny(q1="def square(x):\n    return 1")
    cell(notebook, grade_id).source = source
    graded = grade_tiny(tmp_path, notebook)
    assert scores(graded) == [0, 3, 4, None] and words in notes(graded, "suspicion")


def test_text_written_into_a_description_is_not_lost(tmp_path: Path):
    released = cell(make_cases.source(), "intro").source
    graded = grade_tiny(tmp_path, with_test("intro", f"{released}\n\nMy answer to this is: yes, always."))
    cells = graded.notebooks["p1"].cells
    assert [c.source for c in cells[:2]] == [released, "My answer to this is: yes, always."]
    assert not notes(graded, "suspicion")


def test_own_text_that_could_answer_several_questions_is_told():
    instructor, submitted = make_cases.source(), tiny(m4=STUBS["m4"])
    for notebook in (instructor, submitted):
        extra = copy.deepcopy(notebook.cells[-1])
        extra.metadata["nbgrader"]["grade_id"], extra["id"] = "m5", "m5"
        extra.source = "And why?" if notebook is instructor else STUBS["m4"]
        notebook.cells.append(extra)
    submitted.cells[:0] = [new_markdown_cell("It depends."), new_markdown_cell("On outliers.")]
    result = rebuild(instructor, read_notebook(json.dumps(submitted).encode()), class_seed=CLASS_SEED, student="s")
    assert not result.answered & {"m4", "m5"}
    assert "nothing stands in m4, m5, but there is text" in " ".join(n.message for n in result.notes)
    assert [c.source for c in result.notebook.cells[:2]] == ["It depends.", "On outliers."]


@pytest.mark.parametrize("cells", [[], [new_code_cell("import os"), new_markdown_cell("# Another course")]])
def test_another_notebook_under_this_name_is_told(cells: list[NotebookNode], tmp_path: Path):
    graded = grade_tiny(tmp_path, new_notebook(cells=cells))
    assert graded.result["state"] == "graded" and graded.result["score"] == 0
    assert "none of the assignment's cells is in the notebook" in notes(graded, "repair")
    assert "is missing" not in notes(graded)


# ---------------------------------------------------------------- the same for the kit's own exercises


def kit(**answers: str) -> NotebookNode:
    return kit_notebook(**({"q": "Because."} | answers))


KIT_STUB = "def insert_after(gm, node, module, name):\n    # YOUR CODE HERE\n    raise NotImplementedError()"


def kit_with(new: NotebookNode, at: int, **answers: str) -> NotebookNode:
    notebook = kit(**answers)
    notebook.cells.insert(at, new)
    return notebook


def kit_merged() -> NotebookNode:
    notebook = kit()
    answer, test = notebook.cells[1:3]
    answer.source += "\n" + test.source
    notebook.cells.remove(test)
    return notebook


KIT: dict[str, Callable[[], NotebookNode]] = {
    "as_it_should_be": kit,
    "reversed": lambda: reversed_cells(kit()),
    "bare": lambda: bare(kit()),
    "reversed_and_bare": lambda: reversed_cells(bare(kit())),
    "doubled": lambda: doubled(kit()),
    "markdown": lambda: retyped(kit(), "markdown"),
    "raw_and_bare": lambda: retyped(bare(kit()), "raw"),
    "answered_below_the_test": lambda: kit_with(new_code_cell(INSERT_AFTER), 3, insert_after=KIT_STUB),
    "answered_at_the_top": lambda: kit_with(new_code_cell(INSERT_AFTER), 0, insert_after=KIT_STUB),
    "merged_with_its_test": kit_merged,
    "with_time": lambda: bare(kit(insert_after=f"%%time\n{INSERT_AFTER}")),
}


@pytest.mark.parametrize("name", KIT)
def test_answers_to_exercises_of_the_kit_come_through(name: str):
    submitted = read_notebook(json.dumps(KIT[name]()).encode())
    result: Rebuilt = rebuild(kit_notebook(), submitted, class_seed=CLASS_SEED, student="s")
    wanted = f"%%time\n{INSERT_AFTER}" if name == "with_time" else INSERT_AFTER
    assert cell(result.notebook, "m02_2-insert_after-answer").source == wanted
    assert cell(result.notebook, "m02_2-switch_story-answer").source == STORY
    assert cell(result.notebook, "m02_2-written-answer").source == "Because."
    assert [e.exercise_id for e in result.exercises] == ["m02_2.insert_after", "m02_2.switch_story"]
    assert wanted in result.student_sources and not [n for n in result.notes if n.kind == "suspicion"]
    ours = [c.metadata["nbgrader"]["grade_id"] for c in result.notebook.cells if c.metadata.get("nbgrader")]
    assert ours == [c.metadata["nbgrader"]["grade_id"] for c in kit_notebook().cells if c.metadata.get("nbgrader")]
