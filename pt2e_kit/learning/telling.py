"""What a check of a whole notebook says, as lines of text."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from common.exercise import find_exercise
from common.exercise.overview import SIGNS, describe, what_next
from common.exercise.progress import is_no_try
from common.exercise.render import verdict_text
from common.i18n import _
from pt2e_kit.learning.checking import Checked
from pt2e_kit.learning.starting import shown


def overview(checked: Checked) -> list[str]:
    """One line on the lesson, and one for each exercise."""
    done = sum(verdict["passed"] for verdict in checked.verdicts)
    text = _("{lesson} {title}: {done} of {total} exercises solved, with the public cases")
    if checked.hidden:
        text = _("{lesson} {title}: {done} of {total} exercises solved, with public and hidden cases")
    total = len(checked.verdicts)
    lines = [text.format(lesson=checked.lesson.id, title=checked.lesson.title, done=done, total=total)]
    width = max((len(v["id"]) for v in checked.verdicts), default=0)
    lines += [f"  {SIGNS[_state(v)]} {v['id']:<{width}}  {_score(v)}".rstrip() for v in checked.verdicts]
    return [*lines, *(f"  ! {note.message}" for note in checked.notes)]


def _state(verdict: Mapping[str, Any]) -> str:
    return "solved" if verdict["passed"] else "open" if is_no_try(verdict) else "tried"


def _score(verdict: Mapping[str, Any]) -> str:
    if _state(verdict) == "open":
        return _("no answer yet")
    if not verdict["max_score"]:
        return _("right") if verdict["passed"] else _("not yet")
    text = _("{score} of {max} points")
    return text.format(score=f"{verdict['score']:g}", max=f"{verdict['max_score']:g}")


def findings(verdict: Mapping[str, Any], *, why: bool = False) -> list[str]:
    """What went wrong in one exercise: what happened, expected and got; with `why` the wrong idea behind it."""
    return verdict_text(verdict, why=why, hint_call=False).splitlines()


def hints(exercise_id: str, count: int) -> list[str]:
    """The first hints of an exercise."""
    known = find_exercise(exercise_id).hints
    if not known:
        return [_("There are no hints for {id}.").format(id=exercise_id)]
    text = _("{id}, hint {n} of {total}: {hint}")
    shown = list(enumerate(known, 1))[:count]
    return [text.format(id=exercise_id, n=n, total=len(known), hint=hint) for n, hint in shown]


def closing(checked: Checked, solution: Path | None) -> list[str]:
    """What to do next, and after a success where the solution is."""
    lines = []
    to_do = checked.to_do()
    if to_do is not None:
        lines.append(_("Next: {exercise}").format(exercise=describe(to_do["id"])))
    elif checked.verdicts:
        lines.append(what_next(checked.verdicts[-1]["id"]))
    if solution is not None and any(verdict["passed"] for verdict in checked.verdicts):
        text = _("To compare with ours: {path}")
        if to_do is not None:
            text = _("To compare with ours: {path} (it has the answers to the others too)")
        lines.append(text.format(path=shown(solution)))
    return lines
