"""Progress for people: how far you are in each lesson, and what comes next. Nothing here loads torch."""

import sys
from dataclasses import dataclass
from typing import Any

from common.exercise.order import exercises_of, lessons_with_exercises, next_exercise
from common.exercise.progress import is_recording, read_progress
from common.exercise.registry import find_exercise
from common.i18n import _
from common.lessons import find_lesson

SIGNS = {"solved": "✓", "tried": "✗", "open": "·"}


@dataclass(frozen=True)
class Standing:
    """How one exercise stands: "solved" (at some time), "tried" or "open"."""

    id: str
    state: str
    tries: int
    solved: str | None
    """When it was solved first (ISO 8601, UTC)."""
    hidden: bool
    """Whether it was solved with the hidden cases too."""

    @property
    def name(self) -> str:
        """The name of the answer."""
        return self.id.partition(".")[2]


def standings(lesson_id: str | None = None) -> dict[str, list[Standing]]:
    """Return how the exercises stand, by lesson, all in the order of the course.

    Raises:
        ValueError: there is no such lesson.
    """
    lessons = lessons_with_exercises()
    if lesson_id is not None:
        lessons = [find_lesson(lesson_id).id]
    noted = read_progress()
    return {lesson: [_standing(i, noted.get(i)) for i in exercises_of(lesson)] for lesson in lessons}


def _standing(exercise_id: str, entry: dict[str, Any] | None) -> Standing:
    if entry is None:
        return Standing(exercise_id, "open", 0, None, False)
    state = "solved" if entry["solved"] else "tried"
    return Standing(exercise_id, state, entry["tries"], entry["solved"], entry["hidden"])


def next_id() -> str | None:
    """Return the exercise to go on with: the one tried last, or what comes behind it; None where all are solved."""
    known = {i for lesson in lessons_with_exercises() for i in exercises_of(lesson)}
    noted = {i: entry for i, entry in read_progress().items() if i in known}
    solved = {i for i, entry in noted.items() if entry["solved"]}
    if not noted:
        return next((i for lesson in lessons_with_exercises() for i in exercises_of(lesson)), None)
    last = max(noted, key=lambda i: noted[i]["last"])
    return last if last not in solved else next_exercise(last, solved)


def describe(exercise_id: str) -> str:
    """Return an exercise in a few words: ``m02_2.build_manual (core, 20 minutes)``."""
    exercise = find_exercise(exercise_id)
    kinds = {"core": _("core"), "practice": _("practice"), "prediction": _("prediction")}
    text = _("{id} ({kind}, {minutes} minutes)")
    return text.format(id=exercise_id, kind=kinds[exercise.kind], minutes=exercise.minutes)


def what_next(after: str) -> str:
    """Return the sentence that stands below an exercise that is solved."""
    solved = {i for i, entry in read_progress().items() if entry["solved"]} | {after}
    if not is_recording():  # nobody knows what was solved: whoever has come to this one has done those before
        order = [i for lesson in lessons_with_exercises() for i in exercises_of(lesson)]
        solved |= set(order[: order.index(after)]) if after in order else set()
    following = next_exercise(after, solved)
    lesson = after.partition(".")[0]
    if following is None:
        return _("That was the last one: every exercise of the course is solved.")
    entry = find_lesson(following.partition(".")[0])
    if entry.id == lesson:
        return _("Next: {exercise}").format(exercise=describe(following))
    text = _("Every exercise of {lesson} is solved. Next: lesson {other} “{title}”, which begins with {exercise}")
    if any(i in solved for i in exercises_of(entry.id)):
        text = _("Every exercise of {lesson} is solved. Next: lesson {other} “{title}”, where {exercise} is open")
    return text.format(lesson=lesson, other=entry.id, title=entry.title, exercise=describe(following))


def progress_table(lesson_id: str | None = None) -> tuple[list[str], list[list[str]]]:
    """Return titles and rows of the table that `progress` shows: a lesson a row, or an exercise a row for one lesson.

    Raises:
        ValueError: there is no such lesson.
    """
    found = standings(lesson_id)
    if lesson_id is not None:
        rows = [
            [f"{SIGNS[s.state]} {s.name}", _states()[s.state], str(s.tries or ""), (s.solved or "")[:10]]
            for s in found[lesson_id]
        ]
        return [_("exercise"), _("state"), _("tries"), _("solved on")], rows
    rows = []
    for lesson, exercises in found.items():
        done = sum(s.state == "solved" for s in exercises)
        begun = any(s.state != "open" for s in exercises)
        signs = "  ".join(f"{SIGNS[s.state]} {s.name}" for s in exercises) if begun else ""
        rows.append([lesson, find_lesson(lesson).title, f"{done}/{len(exercises)}", signs])
    return [_("lesson"), _("title"), _("solved"), _("exercises (✓ solved, ✗ tried, · open)")], rows


def _states() -> dict[str, str]:
    return {"solved": _("solved"), "tried": _("not yet"), "open": _("open")}


def closing_line() -> str:
    """Return the line below the table: how many are solved, and what comes next."""
    exercises = [s for lesson in standings().values() for s in lesson]
    done = sum(s.state == "solved" for s in exercises)
    text = _("{done} of {total} exercises solved.").format(done=done, total=len(exercises))
    following = next_id()
    if following:
        text += " " + _("Next: {exercise}").format(exercise=describe(following))
    return text


def show_progress(lesson_id: str | None = None) -> None:
    """Show the table and the line below it, in a notebook or as plain text.

    Raises:
        ValueError: there is no such lesson.
    """
    from common.viz import table

    titles, rows = progress_table(lesson_id)
    made = table(rows, titles, show=False)
    shell = ipython.get_ipython() if (ipython := sys.modules.get("IPython")) else None
    if shell is not None and "ZMQ" in type(shell).__name__:
        made.show()
    else:
        print(made.text)
    print(closing_line())
