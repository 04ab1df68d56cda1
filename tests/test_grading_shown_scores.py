"""A score that a test cell shows: only the test's own counts, not what an answer shows meanwhile."""

from pathlib import Path

import pytest
from grading_kit import grade_tiny, make_cases, notes, scores
from nbformat import NotebookNode

from pt2e_kit.grading import plain


def executed(source: str, *shown: str) -> NotebookNode:
    new = make_cases.source().cells[6].copy()
    outputs = [
        {"output_type": "execute_result", "data": {"text/plain": text}, "metadata": {}, "execution_count": 1}
        for text in shown
    ]
    return NotebookNode(new | {"source": source, "outputs": [NotebookNode(o) for o in outputs]})


def test_only_the_result_of_the_last_line_counts():
    scored = plain.score(executed("got = 0\ngot", "4.0", "0"), "ok", 4)
    assert scored.score == 0 and scored.note is not None and scored.note.kind == "suspicion"


def test_a_test_that_shows_nothing_is_not_scored_by_what_an_answer_shows():
    scored = plain.score(executed("assert f()", "1.0"), "ok", 4)
    assert scored.score == 4 and scored.note is not None


def test_an_honest_partial_score_has_no_note():
    assert plain.score(executed("got = 2\ngot", "2"), "ok", 4) == plain.PlainScore(2, "scored")


@pytest.mark.slow
def test_a_score_shown_by_the_answer_earns_nothing(tmp_path: Path):
    forged = "def score_words(ws):\n    getattr(get_ipython(), 'display' + 'hook')(4.0)\n    return []"
    graded = grade_tiny(tmp_path, q3=forged)
    assert scores(graded)[:3] == [2, 3, 0]
    assert "only its own counts" in notes(graded, "suspicion")
