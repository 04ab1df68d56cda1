"""Rebuild: the instructor's notebook with a student's answers, whatever happened to the submission's other cells."""

import copy
import random

import pytest
from grading_kit import CLASS_SEED, HIDDEN_CASE, STORY, cell, exercise_test, kit_notebook, make_cases, tiny
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell

from pt2e_kit.grading.rebuild import Rebuilt, derived_seed, rebuild
from pt2e_kit.notebooks import grade_metadata

SQUARE = make_cases.GOOD["q1"]


def rebuilt(submitted: NotebookNode, instructor: NotebookNode | None = None, student: str = "s01") -> Rebuilt:
    return rebuild(instructor or make_cases.source(), submitted, class_seed=CLASS_SEED, student=student)


def answers(result: Rebuilt) -> dict[str, str]:
    ids = ("q1", "q2", "q3", "m4")
    return {i: cell(result.notebook, i).source for i in ids}


def messages(result: Rebuilt) -> str:
    return " | ".join(note.message for note in result.notes)


def bare(notebook: NotebookNode, keep_ids: bool = False) -> NotebookNode:
    """Without any metadata in its cells, and with other ids."""
    for number, c in enumerate(notebook.cells):
        c.metadata = NotebookNode()
        c.id = c.id if keep_ids else f"other-{number}"
    return notebook


def test_an_honest_submission_has_no_notes_and_all_cells_in_order():
    result = rebuilt(tiny())
    assert answers(result) == make_cases.GOOD and not result.notes
    ours = [grade_metadata(c)["grade_id"] for c in make_cases.source().cells]
    assert [grade_metadata(c)["grade_id"] for c in result.notebook.cells] == ours
    assert result.answered == {"q1", "q2", "q3", "m4"}


def test_tests_and_points_are_always_ours():
    submitted = tiny()
    cell(submitted, "q1t").source = "assert True"
    cell(submitted, "q1t").metadata["nbgrader"]["points"] = 100
    result = rebuilt(submitted)
    assert cell(result.notebook, "q1t").source == cell(make_cases.source(), "q1t").source
    assert cell(result.notebook, "q1t").metadata["nbgrader"]["points"] == 2
    assert "edited" in messages(result) and "points" in messages(result)


def test_answers_are_found_by_cell_id():
    instructor, submitted = make_cases.source(), tiny()
    for ours, theirs in zip(instructor.cells, submitted.cells, strict=True):
        theirs.id = ours.id
    submitted = bare(submitted, keep_ids=True)
    random.Random(3).shuffle(submitted.cells)
    assert answers(rebuilt(submitted, instructor)) == make_cases.GOOD


def test_answers_are_found_by_what_they_define():
    submitted = bare(tiny())
    submitted.cells = [c for c in submitted.cells if "mean" not in c.source or "def mean" in c.source]
    assert answers(rebuilt(submitted))["q2"] == make_cases.GOOD["q2"]


def test_an_answer_with_a_syntax_error_is_found_by_its_head():
    broken = "def mean(xs)\n    return 0"
    assert answers(rebuilt(bare(tiny(q2=broken))))["q2"] == broken


def test_an_answer_is_found_by_its_place():
    submitted = bare(tiny(q1="something = else_entirely", m4="It is the outlier's fault, always."))
    found = answers(rebuilt(submitted))
    assert found["q1"] == "something = else_entirely"
    assert found["m4"] == "It is the outlier's fault, always."


def test_text_is_found_by_likeness():
    released = cell(make_cases.source(), "intro").source
    submitted = bare(tiny())
    submitted.cells[0].source = released + " (mine)"
    result = rebuilt(submitted)
    assert [c.source for c in result.notebook.cells].count(released) == 1
    assert released + " (mine)" not in [c.source for c in result.notebook.cells]


def test_cells_of_the_student_stay_in_their_place():
    submitted = tiny()
    at = submitted.cells.index(cell(submitted, "q2"))
    submitted.cells[at:at] = [new_code_cell("import math"), new_markdown_cell("my *notes*")]
    submitted.cells.insert(0, new_code_cell("first = 1"))
    submitted.cells.append(new_code_cell("last = 1"))
    sources = [c.source for c in rebuilt(submitted).notebook.cells]
    assert sources[0] == "first = 1" and sources[-1] == "last = 1"
    assert sources.index("import math") == sources.index("my *notes*") - 1 == sources.index(make_cases.GOOD["q2"]) - 2


def test_own_cells_lose_their_metadata():
    submitted = tiny()
    extra = new_code_cell("x = 1", id="mine", metadata={"tags": ["skip-execution"], "nbgrader": {"grade_id": "fake"}})
    submitted.cells.insert(2, extra)
    (found,) = (c for c in rebuilt(submitted).notebook.cells if c.source == "x = 1")
    assert not found.metadata


def test_an_edited_demonstration_runs_after_ours():
    instructor, submitted = make_cases.source(), tiny()
    for notebook, source in ((instructor, "import math"), (submitted, "import math\nimport cmath")):
        notebook.cells.insert(1, new_code_cell(source, id="imports"))
    sources = [c.source for c in rebuilt(submitted, instructor).notebook.cells]
    assert sources[1:3] == ["import math", "import math\nimport cmath"]


def test_an_edited_locked_cell_does_not_run():
    instructor, submitted = make_cases.source(), tiny()
    for notebook, source in ((instructor, "limit = 1"), (submitted, "limit = 100")):
        notebook.cells.insert(1, new_code_cell(source, metadata=make_cases.md("limit", False, False, True)))
    assert "limit = 100" not in [c.source for c in rebuilt(submitted, instructor).notebook.cells]


@pytest.mark.parametrize("missing", ["q1", "m4"])
def test_a_solution_never_survives_a_missing_answer(missing: str):
    instructor = make_cases.source()
    cell(instructor, "m4").source = "### BEGIN SOLUTION\nBecause of outliers.\n### END SOLUTION"
    submitted = tiny()
    submitted.cells.remove(cell(submitted, missing))
    result = rebuilt(submitted, instructor)
    source = cell(result.notebook, missing).source
    assert "YOUR" in source and "SOLUTION" not in source and "x * x" not in source and "outliers" not in source
    assert missing not in result.answered and "missing" in messages(result)


def test_an_empty_submission_is_the_released_notebook():
    from nbformat.v4 import new_notebook

    result = rebuilt(new_notebook())
    assert result.answered == set()
    assert not any("### BEGIN SOLUTION" in c.source for c in result.notebook.cells)
    assert not any("x * x" in c.source for c in result.notebook.cells)


def test_of_two_answers_the_last_changed_one_counts():
    submitted = tiny()
    at = submitted.cells.index(cell(submitted, "q1"))
    first, stub = copy.deepcopy(submitted.cells[at]), copy.deepcopy(submitted.cells[at])
    first.source, stub.source = (
        "def square(x):\n    return 0",
        "def square(x):\n    # YOUR CODE HERE\n    raise NotImplementedError()",
    )
    submitted.cells[at:at] = [first]
    submitted.cells.insert(at + 2, stub)
    result = rebuilt(submitted)
    assert answers(result)["q1"] == SQUARE and "3 times" in messages(result)


def test_a_written_answer_in_a_cell_of_its_own_is_taken():
    submitted = tiny(m4="YOUR ANSWER HERE")
    submitted.cells.append(new_markdown_cell("One far value."))
    result = rebuilt(submitted)
    assert answers(result)["m4"] == "One far value." and "m4" in result.answered
    assert "cell of its own" in messages(result)


@pytest.mark.parametrize("sign", ["#", "###", "#x"])
@pytest.mark.parametrize("word", ["HIDDEN TESTS", "SOLUTION"])
def test_delimiters_in_a_students_source_are_harmless(sign: str, word: str):
    from nbgrader.preprocessors import ClearHiddenTests, ClearSolutions

    source = f"{SQUARE}\n{sign} BEGIN {word}\nx = 1\n# {sign} END {word}\n{sign} BEGIN {word}"
    submitted = tiny(q1=source)
    submitted.cells.append(new_code_cell(f"{sign} END {word}"))
    notebook = rebuilt(submitted).notebook
    for step in (ClearHiddenTests(), ClearSolutions(enforce_metadata=False)):
        for c in notebook.cells:
            if grade_metadata(c).get("grade_id") in (None, "q1"):
                before = c.source
                assert not getattr(step, "_remove_hidden_test_region", lambda c: False)(c)
                assert not getattr(step, "_replace_solution_region", lambda c, _l: False)(c, "python")
                assert c.source == before
    assert "x = 1" in cell(notebook, "q1").source


def test_null_bytes_and_tags_are_harmless():
    from nbconvert.filters.markdown_mistune import markdown2html_mistune as html

    attacks = [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "<!-- -->",
        "[x](javascript:alert(1))",
        "[x]( <javascript:alert(1)>)",
        "[x](&#106;avascript:alert(1))",
        "[x][1]\n\n[1]: javascript:alert(1)",
        "![x](vbscript:alert(1))",
        "<javascript:alert(1)>",
        "[x](data:text/html,a)",
    ]
    for attack in attacks:
        submitted = tiny(m4=attack, q1=SQUARE + "\0")
        submitted.cells.append(new_markdown_cell(attack))
        notebook = rebuilt(submitted).notebook
        for c in (cell(notebook, "m4"), notebook.cells[-1]):
            page = html(c.source)
            assert "<script" not in page and "<img src=x" not in page and "<!--" not in page
            assert 'href="javascript' not in page and 'src="vbscript' not in page and 'href="data' not in page
        assert "\0" not in cell(notebook, "q1").source
    honest = "a < b, [link](https://pytorch.org/docs) and `list[int]`"
    assert answers(rebuilt(tiny(m4=honest)))["m4"] == honest


def test_matching_is_bounded():
    """Thousands of cells that are all nearly alike must not keep the grader busy for long."""
    submitted = bare(tiny())
    words = cell(make_cases.source(), "q3t").source.split()
    shuffle = random.Random(0).shuffle
    for _number in range(2000):
        shuffle(words)
        submitted.cells.append(new_markdown_cell(" ".join(words * 10)))
    assert answers(rebuilt(submitted))["q1"] == SQUARE


def test_seeds_are_derived_and_written_into_cell_and_exercise():
    instructor = kit_notebook()
    result = rebuilt(kit_notebook(q="mine"), instructor)
    after, story = result.exercises
    assert (after.exercise_id, after.grade_id) == ("m02_2.insert_after", "m02_2-insert_after")
    assert [c["seed"] for c in after.cases] == [
        derived_seed(CLASS_SEED, "s01", "m02_2.insert_after", n) for n in range(2)
    ]
    assert after.cases[0] | {"seed": 0} == HIDDEN_CASE | {"seed": 0} and story.cases == []
    source = result.notebook.cells[after.index].source
    assert f"evidence('m02_2.insert_after', cases={after.cases!r})" in source
    compile(source, "cell", "exec")
    assert "seed" not in cell(instructor, "m02_2-insert_after").source


def test_seeds_differ_by_student_case_exercise_and_class():
    base = ("class seed one", "s01", "m02_2.insert_after", 0)
    others = [("class seed two", *base[1:]), (base[0], "s02", *base[2:]), (*base[:2], "m02_2.x", 0), (*base[:3], 1)]
    seeds = {derived_seed(*arguments) for arguments in [base, *others]}
    assert len(seeds) == 5 and all(0 <= seed < 2**31 for seed in seeds)
    assert derived_seed(*base) == derived_seed(*base)


def test_a_seed_of_the_author_stays():
    instructor = kit_notebook()
    cell(instructor, "m02_2-insert_after").source = exercise_test("m02_2.insert_after", [HIDDEN_CASE | {"seed": 7}])
    assert rebuilt(kit_notebook(q=""), instructor).exercises[0].cases[0]["seed"] == 7


def test_cases_in_a_submission_count_for_nothing():
    submitted = kit_notebook(switch_story=STORY)
    cell(submitted, "m02_2-insert_after").source = exercise_test("m02_2.insert_after", [])
    submitted.cells.append(new_code_cell(exercise_test("m02_2.switch_story", [{"model": "mine"}])))
    result = rebuilt(submitted, kit_notebook())
    assert len(result.exercises) == 2 and len(result.exercises[0].cases) == 2


def test_metadata_of_nonsense_is_passed_over():
    submitted = tiny()
    nonsense = [
        5,
        "x",
        None,
        [],
        {"grade_id": 5},
        {"grade_id": None, "solution": "yes"},
        {"grade_id": "q1", "points": "1e9"},
    ]
    for c, value in zip(submitted.cells, nonsense, strict=False):
        c.metadata["nbgrader"] = value
    assert answers(rebuilt(submitted))["q3"] == make_cases.GOOD["q3"]
