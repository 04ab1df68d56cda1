"""Each solution says why it is solved so and shows another way; that one is right as well."""

import ast
import warnings

import pytest
from answers_bank import try_source
from source_cells import answer_cells, hidden_cases, imports

from common.exercise import all_exercises, find_exercise
from pt2e_kit.authoring.explained import Explained, split_explained

SAID = {e.id: split_explained(answer_cells(e.id)[0])[1] for e in all_exercises()}

CELL = """def f(x):
    ### BEGIN SOLUTION
    # a remark on the code
    return x.abs().max()
    # Why so: the range must hold
    # every value.
    # Another way: compare both ends.
    # ```python
    # def f(x):
    #     # both
    #     return max(x.max(), -x.min())
    # ```
    ### END SOLUTION
"""


def test_comments_at_the_end_are_taken_out_and_read():
    left, said = split_explained(CELL)
    assert left == CELL[: CELL.index("    # Why")] + "    ### END SOLUTION\n"
    assert said.why == "the range must hold\nevery value."
    assert said.another.startswith("compare both ends.\n```python\ndef f(x):")
    assert said.code == "def f(x):\n    # both\n    return max(x.max(), -x.min())\n"
    assert said.markdown.startswith("**Why so.** The range must hold\nevery value.\n\n**Another way.** Compare")


def test_a_cell_that_says_nothing_stays_as_it_is():
    assert split_explained("x = 1  # Why so: no") == ("x = 1  # Why so: no", Explained())
    left, said = split_explained("### BEGIN SOLUTION\nx = 1\n# Why so: it is one.\n### END SOLUTION")
    assert left == "### BEGIN SOLUTION\nx = 1\n### END SOLUTION"
    assert said == Explained("it is one.") and not said.code and "Another" not in said.markdown


@pytest.mark.parametrize("exercise_id", SAID)
def test_it_is_said_why(exercise_id: str):
    assert SAID[exercise_id].why, "docs/authoring.md tells how"


@pytest.mark.parametrize("exercise_id", [e.id for e in all_exercises() if e.kind != "prediction"])
def test_the_other_way_is_right(exercise_id: str):
    exercise, code = find_exercise(exercise_id), SAID[exercise_id].code
    assert code, "docs/authoring.md tells how"
    own = meaning(split_explained(answer_cells(exercise_id)[0])[0])
    assert meaning(code) != own, "this is the same way"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = try_source(exercise, imports(exercise.lesson) + "\n" + code, hidden_cases(exercise_id))
    assert verdict.passed, [(f["symptom"], f["detail"]) for f in verdict.findings]
    assert not verdict.notes


def meaning(source: str) -> str:
    """Source without comments and layout."""
    return ast.dump(ast.parse(source))
