"""`check`, `hint` and `progress`: what the student calls in a notebook."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from common.exercise.base import Case, Exercise, Verdict
from common.exercise.capture import FOLDER_VARIABLE
from common.exercise.evidence import Piece, Recorder
from common.exercise.registry import find_exercise
from common.exercise.shortcuts import defined_names, parse_cell
from common.exercise.tracebacks import exception_facts
from common.i18n import _
from common.platform_checks import missing_parts

if TYPE_CHECKING:
    from common.exercise.render import Offer

KIT_NAMES = ("check", "evidence", "hint", "lesson", "progress")
_students_own: dict[str, Any] = {}
_hints_shown: dict[str, int] = {}


class CheckFailed(AssertionError):
    """An exercise is not solved yet. One line, no traceback: the findings stand above it."""

    def _render_traceback_(self) -> list[str]:  # IPython shows this instead of a traceback
        return [str(self)]


def check(exercise_id: str) -> None:
    """Try your answer on the public cases of an exercise and show what is right and what is not.

    Raises:
        CheckFailed: something is not right yet (so that nbgrader's Validate says so too).
        UnknownExercise: no exercise has this id.
    """
    if os.environ.get(FOLDER_VARIABLE):
        return  # grading: `evidence` records these cases too
    missing = missing_parts(find_exercise(exercise_id).needs)
    if missing:
        how = "; ".join(f"{part.id}: {part.how}" for part in missing)
        print(
            _("{id} cannot be tried on this machine. What is missing, and how to get it: {how}").format(
                id=exercise_id, how=how
            )
        )
        return
    verdict = public_verdict(exercise_id)
    if not verdict.passed:
        first = next((f["symptom"] for f in verdict.findings), _("not solved yet"))
        raise CheckFailed(f"✗ {exercise_id}: {first}")


def public_verdict(exercise_id: str) -> Verdict:
    """Try the notebook's answer on the public cases of an exercise; show and return what the judge says.

    Raises:
        UnknownExercise: no exercise has this id.
    """
    from common.exercise.judging import judge_pieces
    from common.exercise.progress import record
    from common.exercise.render import show

    exercise = find_exercise(exercise_id)
    pieces = {case.digest: [try_answer(exercise, case)] for case in exercise.public_cases}
    verdict = judge_pieces(exercise, (), pieces, _newest_definitions())
    told = verdict.as_dict()
    record(told)
    show(told, _offer(exercise, passed=verdict.passed))
    return verdict


def _offer(exercise: Exercise, *, passed: bool) -> "Offer":
    """What stands below a verdict: the hints that were not seen yet, or what to do next."""
    from common.exercise.overview import what_next
    from common.exercise.render import Offer

    if not passed:
        return Offer(hints=exercise.hints, shown=_hints_shown.get(exercise.id, 0))
    try:
        return Offer(next=what_next(exercise.id))
    except Exception:  # an unreadable folder, say: a check is right without it
        return Offer()


def progress(lesson_id: str | None = None) -> None:
    """Show what you have solved so far, of all lessons or of one, and what comes next.

    Raises:
        ValueError: there is no such lesson.
    """
    from common.exercise.overview import show_progress

    show_progress(lesson_id)


def hint(exercise_id: str) -> None:
    """Show the next hint of an exercise: first a broad one, then narrower ones."""
    exercise = find_exercise(exercise_id)
    shown, total = _hints_shown.get(exercise_id, 0), len(exercise.hints)
    if shown < total:
        _hints_shown[exercise_id] = shown + 1
        print(_("Hint {n} of {total}: {text}").format(n=shown + 1, total=total, text=exercise.hints[shown]))
    elif total:
        print(_("You have seen all {total} hints:").format(total=total))
        for number, text in enumerate(exercise.hints, 1):
            print(f"  {number}. {text}")
    else:
        print(_("There are no hints for this exercise."))


def try_answer(exercise: Exercise, case: Case) -> Piece:
    """Look the answer up by its name in the notebook and run the probe on one case."""
    from common.exercise.probing import run_probe

    names = user_names()
    with _own_names(names):
        if exercise.name in names:
            return run_probe(exercise, names[exercise.name], case)
    ev = Recorder(exercise, case)
    error = _syntax_error(exercise.name, names)
    ev.status = "syntax_error" if error else "not_found"
    ev.exception = exception_facts(error) if error else None
    return ev.piece()


def user_names() -> dict[str, Any]:
    """Return the names of the notebook, or of `__main__` outside of one."""
    import sys

    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is not None:
        return shell.user_ns
    return vars(sys.modules["__main__"])


def remember_own_names() -> None:
    """From now on, keep what a student calls `check`, `hint` and so on before a test cell imports ours over it.

    A right answer may use a helper of its own with such a name.
    """
    import sys

    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    if shell is None or getattr(shell, "_pt2e_kit_remembers", False):
        return

    def before_cell(_info: object = None) -> None:
        import common

        for name in KIT_NAMES:
            value = shell.user_ns.get(name)
            if value is not None and value is not getattr(common, name):
                _students_own[name] = value

    shell.events.register("pre_run_cell", before_cell)
    shell._pt2e_kit_remembers = True


@contextmanager
def _own_names(names: dict[str, Any]) -> Iterator[None]:
    ours = {k: names[k] for k in _students_own if k in names}
    names.update(_students_own)
    try:
        yield
    finally:
        names.update(ours)


def _cells_run(names: dict[str, Any]) -> list[str]:
    cells = names.get("In")
    return [c for c in cells if isinstance(c, str)] if isinstance(cells, list) else []


def _syntax_error(name: str, names: dict[str, Any]) -> SyntaxError | None:
    """The error of the last cell that was run and was about this answer, where Python cannot parse it."""
    for source in reversed(_cells_run(names)):
        if f"def {name}" in source or f"class {name}" in source or f"{name} =" in source:
            try:
                parse_cell(source)
            except SyntaxError as error:
                return error
            except ValueError:  # null bytes: no line to show
                return SyntaxError("the cell holds a character that Python cannot read")
            return None
    return None


def _newest_definitions() -> list[str]:
    """The cells that were run and whose definitions still stand: the newest one for each name."""
    kept: list[str] = []
    known: set[str] = set()
    for source in reversed(_cells_run(user_names())):
        try:
            names = {n for statement in parse_cell(source).body for n in defined_names(statement)}
        except (SyntaxError, ValueError):
            continue
        if names - known:
            kept.append(source)
            known |= names
    return kept
