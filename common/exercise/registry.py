"""Find exercises by id: `m02_2.insert_after` stands in common/checks/m02_2/insert_after.py."""

import importlib
import pkgutil
import re
from difflib import get_close_matches
from functools import cache

import common.checks
from common.exercise.base import Exercise
from common.i18n import _


class UnknownExercise(LookupError):
    """There is no exercise of that id; the message names similar ones."""


def exercise_ids() -> list[str]:
    """Return the ids of all exercises, sorted."""
    ids = []
    for lesson in pkgutil.iter_modules(common.checks.__path__):
        if not lesson.ispkg:
            continue  # helpers that several exercises share
        package = importlib.import_module(f"common.checks.{lesson.name}")
        names = (m.name for m in pkgutil.iter_modules(package.__path__))
        ids += [f"{lesson.name}.{name}" for name in names if not name.startswith("_")]
    return sorted(ids)


@cache
def find_exercise(exercise_id: str) -> Exercise:
    """Return the exercise of this id.

    Raises:
        UnknownExercise: no exercise has this id.
    """
    if not re.fullmatch(r"m\d\d_\d\.[A-Za-z]\w*", exercise_id) or exercise_id not in exercise_ids():
        near = get_close_matches(exercise_id, exercise_ids(), n=3, cutoff=0.5)
        hint = _(" Did you mean {near}?").format(near=", ".join(near)) if near else ""
        raise UnknownExercise(_("there is no exercise {id!r}.").format(id=exercise_id) + hint)
    module = importlib.import_module(f"common.checks.{exercise_id}")
    for value in vars(module).values():
        if isinstance(value, type) and issubclass(value, Exercise) and getattr(value, "id", None) == exercise_id:
            return value()
    raise TypeError(f"{module.__file__} holds no Exercise with id = {exercise_id!r}")


def all_exercises() -> list[Exercise]:
    """Return all exercises in order of their ids."""
    return [find_exercise(i) for i in exercise_ids()]
