"""The order of exercises, as the lessons' notebooks have them, and which one comes next. Nothing here loads torch."""

import re
from collections.abc import Collection
from functools import cache
from pathlib import Path

import common
from common.exercise.registry import exercise_ids
from common.lessons import LESSONS, find_lesson

_CHECKED = re.compile(r"""\bcheck\(\\?["'](m\d\d_\d\.\w+)\\?["']\)""")


def checkout() -> Path:
    """Return the folder that holds `common`: in a checkout of the kit, its root."""
    return Path(common.__file__).resolve().parent.parent


def lesson_notebook(lesson_id: str, folder: str = "release") -> Path | None:
    """Return the notebook of a lesson in release/, source/ or solutions/ of the checkout; None where there is none.

    Raises:
        ValueError: there is no such lesson.
    """
    module = checkout() / folder / find_lesson(lesson_id).module
    return next(iter(sorted(module.glob(f"{lesson_id}_*.ipynb"))), None)


def checked_in(text: str) -> list[str]:
    """Return the ids of the exercises that a notebook (its file, as text) checks, each once, in order."""
    return list(dict.fromkeys(_CHECKED.findall(text)))


@cache
def exercises_of(lesson_id: str) -> tuple[str, ...]:
    """Return the ids of a lesson's exercises in the order of its notebook; by name where that is not at hand."""
    known = [i for i in exercise_ids() if i.partition(".")[0] == lesson_id]
    notebook = lesson_notebook(lesson_id)
    listed = checked_in(notebook.read_text(encoding="utf-8")) if notebook else []
    return tuple([i for i in listed if i in known] + [i for i in known if i not in listed])


def lessons_with_exercises() -> list[str]:
    """Return the ids of the lessons that have exercises, in the order of the course."""
    with_some = {i.partition(".")[0] for i in exercise_ids()}
    return [i for i in LESSONS if i in with_some]


def next_exercise(after: str, solved: Collection[str] = ()) -> str | None:
    """Return the exercise to do next: in the same lesson one that is not solved yet, first those further down;
    else the first such one of the lessons behind, then of those before; None where all are solved."""
    lesson = after.partition(".")[0]
    lessons = lessons_with_exercises()
    here = list(exercises_of(lesson))
    at = here.index(after) + 1 if after in here else 0
    place = lessons.index(lesson) + 1 if lesson in lessons else 0
    later = [i for other in (*lessons[place:], *lessons[: max(0, place - 1)]) for i in exercises_of(other)]
    return next((i for i in (*here[at:], *here[:at], *later) if i not in solved and i != after), None)
