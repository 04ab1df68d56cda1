"""Cells that a student split, merged or copied cost nothing."""

import copy
from pathlib import Path

import pytest
from grading_kit import CLASS_SEED, cell, grade_tiny, make_cases, scores, tiny
from nbformat import NotebookNode

from pt2e_kit.grading.rebuild import Rebuilt, rebuild

SQUARE, MEAN = make_cases.GOOD["q1"], make_cases.GOOD["q2"]
HELPER, CALLER = "def helper(x):\n    return x * x", "def square(x):\n    return helper(x)"


def rebuilt(submitted: NotebookNode) -> Rebuilt:
    return rebuild(make_cases.source(), submitted, class_seed=CLASS_SEED, student="s01")


def place(result: Rebuilt, source: str) -> int:
    return [c.source for c in result.notebook.cells].index(source)


def where(result: Rebuilt, grade_id: str) -> int:
    return result.notebook.cells.index(cell(result.notebook, grade_id))


def copied(notebook: NotebookNode, grade_id: str, source: str) -> NotebookNode:
    new = copy.deepcopy(cell(notebook, grade_id))
    new.id, new.source = f"copy-of-{grade_id}", source
    return new


def test_both_halves_of_a_split_answer_run():
    submitted = tiny(q1=CALLER)
    submitted.cells.insert(submitted.cells.index(cell(submitted, "q1")), copied(submitted, "q1", HELPER))
    result = rebuilt(submitted)
    assert place(result, HELPER) < place(result, CALLER) < where(result, "q1t")
    assert cell(result.notebook, "q1").source == CALLER


def test_a_copy_behind_the_test_does_not_reach_it():
    submitted = tiny()
    later = "def square(x):\n    return 'an experiment'"
    submitted.cells.append(copied(submitted, "q1", later))
    result = rebuilt(submitted)
    assert cell(result.notebook, "q1").source == SQUARE
    assert place(result, later) > where(result, "q3t")


def test_a_changed_copy_of_a_test_is_the_students_own_cell():
    submitted = tiny()
    submitted.cells.insert(1, copied(submitted, "q1t", HELPER))
    result = rebuilt(submitted)
    assert HELPER in result.student_sources
    assert not [n for n in result.notes if n.kind == "suspicion"]


def test_an_answer_merged_into_its_test_counts():
    submitted = tiny()
    answer, test = cell(submitted, "q1"), cell(submitted, "q1t")
    test.source = answer.source + "\n" + test.source
    submitted.cells.remove(answer)
    result = rebuilt(submitted)
    assert SQUARE in cell(result.notebook, "q1").source
    assert cell(result.notebook, "q1t").source == cell(make_cases.source(), "q1t").source
    assert "another cell" in " ".join(n.message for n in result.notes)
    assert not [n for n in result.notes if n.kind == "suspicion"]


@pytest.mark.parametrize(("kept", "gone"), [("q1", "q2"), ("q2", "q1")])
def test_two_answers_merged_into_one_cell_both_count(kept: str, gone: str):
    submitted = tiny()
    cell(submitted, kept).source = SQUARE + "\n" + MEAN
    submitted.cells.remove(cell(submitted, gone))
    result = rebuilt(submitted)
    assert SQUARE in cell(result.notebook, "q1").source and MEAN in cell(result.notebook, "q2").source


def test_a_deleted_answer_is_not_found_where_there_is_none():
    submitted = tiny()
    submitted.cells.remove(cell(submitted, "q2"))
    result = rebuilt(submitted)
    assert "NotImplementedError" in cell(result.notebook, "q2").source and "q2" not in result.answered


def test_odd_metadata_is_no_reason_to_refuse_a_notebook(tmp_path: Path):
    submitted = tiny()
    cell(submitted, "q1").metadata["tags"] = "all"
    cell(submitted, "q2").metadata["name"] = ""
    graded = grade_tiny(tmp_path, submitted)
    assert scores(graded)[:3] == [2, 3, 4]
