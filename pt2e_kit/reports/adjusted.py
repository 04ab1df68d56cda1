"""How everybody stands, with the adjusted score beside the one that was given."""

from dataclasses import dataclass, field
from typing import Any

from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.gradebook import Marks, marks, opened
from pt2e_kit.record import read_result
from pt2e_kit.reports.adjustments import DROP, FULL_MARKS, Adjustments, read_adjustments
from pt2e_kit.reports.exercises import Listed, listed
from pt2e_kit.reports.lateness import Lateness, lateness
from pt2e_kit.standing import COLUMNS, standings

ADJUSTED_COLUMNS = ("adjusted", "adjusted_max", "why")
EXPORT_COLUMNS = (*COLUMNS, *ADJUSTED_COLUMNS)


@dataclass(frozen=True)
class Standing:
    """How a class stands in an assignment."""

    rows: list[dict[str, Any]]
    """One for each student, with `EXPORT_COLUMNS`."""
    adjustments: Adjustments
    known: dict[str, Marks]
    """What the gradebook holds, by student."""
    exercises: list[Listed]
    nobody: list[str] = field(default_factory=list)
    """Students whom adjustments.toml names, and who have handed in nothing and stand in no gradebook."""


def standing(course: Course, assignment: str) -> Standing:
    """Return how everybody stands, as `standings` does, with three more columns.

    `adjusted` and `adjusted_max` are score and maximum after what adjustments.toml says, rounded to two decimals, and
    None where there is no score; `why` says what was done, and is empty where nothing was. The gradebook and
    results.json stay as they are.

    Raises:
        LookupError: there is no such assignment.
        ValueError: adjustments.toml says something that it cannot.
    """
    adjustments = read_adjustments(course, assignment)
    exercises = listed(course.source(assignment))
    rows = standings(course, assignment)
    with opened(course.db_url()) as gradebook:
        known = marks(gradebook, assignment)
    for row in rows:
        student = row["student_id"]
        row |= dict.fromkeys(ADJUSTED_COLUMNS[:2]) | {"why": ""}
        if row["score"] is not None:
            result = read_result(course, assignment, student)
            row |= adjusted(adjustments, student, known[student], result, exercises)
    nobody = sorted(adjustments.students.keys() - {row["student_id"] for row in rows})
    return Standing(rows, adjustments, known, exercises, nobody)


def adjusted(
    adjustments: Adjustments, student: str, known: Marks, result: dict[str, Any] | None, exercises: list[Listed]
) -> dict[str, Any]:
    """Return `adjusted`, `adjusted_max` and `why` of one student who has a score."""
    changes = {e.cell: (e.id, adjustments.exercises[e.id]) for e in exercises if e.id in adjustments.exercises}
    late = _late(adjustments, student, known, result)
    total, most = 0.0, 0.0
    for notebook in dict.fromkeys(cell["notebook"] for cell in known.cells):
        score, of = 0.0, 0.0
        for cell in known.cells:
            do = changes[cell["cell"]][1].do if cell["cell"] in changes else ""
            if cell["notebook"] == notebook and do != DROP:
                given = max(cell["score"], cell["max_score"]) if do == FULL_MARKS else cell["score"]
                score, of = score + given, of + cell["max_score"]
        off = late[notebook].percent / 100 if notebook in late else 0.0
        base = of if adjustments.late is not None and adjustments.late.of == "maximum" else score
        total, most = total + (0.0 if off >= 1 else max(0.0, score - off * base)), most + of
    told = [f"{name}: {_words(change.do)} ({change.why})" for name, change in changes.values()]
    if student in adjustments.students:
        own = adjustments.students[student]
        due = adjustments.due_for(student)
        when = due.isoformat(timespec="minutes") if due else ""
        told.append(_("more time, until {when} ({why})").format(when=when, why=own.why))
    told += _told_once(late)
    return {"adjusted": round(total, 2), "adjusted_max": round(most, 2), "why": "; ".join(told)}


def _words(do: str) -> str:
    return _("dropped") if do == DROP else _("full marks for all")


def _late(adjustments: Adjustments, student: str, known: Marks, result: dict[str, Any] | None) -> dict[str, Lateness]:
    """Notebook → what is taken off it: the notebooks of one submission may have come at different times."""
    due = adjustments.due_for(student)
    if adjustments.late is None or due is None:
        return {}
    if result is None:  # graded by something else, which wrote down no time
        names = dict.fromkeys(cell["notebook"] for cell in known.cells)
        return {name: lateness(adjustments.late, due, None) for name in names}
    found = {}
    for notebook in result["notebooks"]:
        # The score that counts is of the submission that was graded last, and so is its time.
        counted = result if notebook["state"] == "graded" else notebook.get("earlier")
        if counted is not None:
            found[notebook["name"]] = lateness(adjustments.late, due, counted["submitted_at"], counted.get("graded_at"))
    return found


def _told_once(late: dict[str, Lateness]) -> list[str]:
    said = {name: one.why for name, one in late.items() if one.why}
    if len(said) == len(late) and len(set(said.values())) == 1:
        return list(said.values())[:1]
    return [f"{name}: {why}" for name, why in said.items()]
