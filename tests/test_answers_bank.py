"""Every exercise accepts every right way, and names what is wrong with the wrong ones."""

import ast
import inspect
import warnings

import pytest
from answers_bank import Answer, answers, try_source
from source_cells import answer_cells, hidden_cases, imports

from common.exercise import Case, all_exercises, find_exercise
from common.platform_checks import missing_parts

EXERCISES = [e.id for e in all_exercises()]


@pytest.mark.parametrize("answer", answers(), ids=str)
def test_answer(answer: Answer) -> None:
    exercise = find_exercise(answer.exercise_id)
    missing = [part.id for part in missing_parts(answer.marked("needs"))]
    if missing:
        pytest.skip(f"what it shows cannot be seen without {', '.join(missing)}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        verdict = try_source(exercise, answer.path.read_text(encoding="utf-8"), hidden_cases(exercise.id))
    found = {(f["misconception"] or "").partition("/")[2] for f in verdict.findings}
    told = [(f["symptom"], f["detail"]) for f in verdict.findings]
    if answer.accept:
        assert verdict.passed, told
        assert not verdict.findings
        assert verdict.score == exercise.points
    else:
        assert not verdict.passed
        assert answer.marked("finds"), f"{answer.path} does not say what the judge must find"
        assert set(answer.marked("finds")) <= found, told
        assert not set(answer.marked("not")) & found, told
    assert not [n for n in verdict.notes if n["kind"] in ("environment", "suspicion")], verdict.notes


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_bank_is_large_enough(exercise_id: str) -> None:
    exercise, bank = find_exercise(exercise_id), answers(exercise_id)
    rejects = [a for a in bank if not a.accept]
    kinds = {name for a in rejects for name in a.marked("finds")}
    code = exercise.kind != "prediction"
    assert sum(a.accept for a in bank) >= (3 if code else 1)
    assert len(rejects) >= (5 if code else 3)
    if code:
        assert len(kinds) >= 3


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_every_misconception_has_an_answer(exercise_id: str) -> None:
    exercise = find_exercise(exercise_id)
    shown = {name for a in answers(exercise_id) for name in a.marked("finds")}
    without = set(exercise.misconceptions) - shown
    assert not without, f"no reject answer of {exercise_id} is marked `# finds:` one of {sorted(without)}"


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_the_judge_knows_what_it_names(exercise_id: str) -> None:
    """A misconception without its sentence would stop the judge, and only at the answer that has it."""
    exercise = find_exercise(exercise_id)
    module = inspect.getmodule(type(exercise))
    assert module is not None
    named = {
        constant.value
        for call in ast.walk(ast.parse(inspect.getsource(module)))
        if isinstance(call, ast.Call) and ast.unparse(call.func) == "self.failed" and len(call.args) > 1
        for constant in _values(call.args[1])
    }
    assert named - {None} <= set(exercise.misconceptions)


def _values(expression: ast.expr) -> list[ast.Constant]:
    """The constants that an expression can have as its value."""
    if isinstance(expression, ast.IfExp):
        return [*_values(expression.body), *_values(expression.orelse)]
    return [expression] if isinstance(expression, ast.Constant) else []


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_instructors_solution_is_right_and_stub_scores_nothing(exercise_id: str) -> None:
    exercise = find_exercise(exercise_id)
    solution, stub = answer_cells(exercise_id)
    solution, stub = (f"{imports(exercise.lesson)}\n{source}" for source in (solution, stub))
    hidden = hidden_cases(exercise_id)
    if exercise.kind != "prediction":
        assert hidden, "an exercise that earns points needs hidden cases in its notebook"
    verdict = try_source(exercise, solution, hidden)
    assert verdict.passed, verdict.findings
    verdict = try_source(exercise, stub, hidden)
    assert verdict.score == 0
    assert not any(verdict.earned.values())


@pytest.mark.parametrize("exercise_id", EXERCISES)
def test_hidden_cases_are_new(exercise_id: str) -> None:
    """Hidden cases are on nets or inputs that the public ones do not show."""
    public = {c.digest for c in find_exercise(exercise_id).public_cases}
    assert not public & {Case(**dict(c)).digest for c in hidden_cases(exercise_id)}
