"""All that a report shows, as plain data: the page and the tables only write it down."""

import random
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from common.exercise import UnknownExercise, find_exercise
from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.record import read_result
from pt2e_kit.reports import measures
from pt2e_kit.reports.adjusted import Standing, standing
from pt2e_kit.reports.adjustments import DROP
from pt2e_kit.reports.exercises import Listed

ENDED = {"timeout": _("took too long"), "died": _("the process died")}


@dataclass(frozen=True)
class Overview:
    """What there is to know about one assignment. Every list holds plain dictionaries with text and numbers."""

    assignment: str
    made_at: str
    students: list[dict[str, Any]]
    max_score: float | None
    spread: dict[str, float]
    histogram: list[int]
    """How many scores lie in each tenth of the maximum."""
    unscored: int
    exercises: list[dict[str, Any]]
    misconceptions: list[dict[str, Any]]
    """Wrong ideas that the exercises know, the commonest first, with the words that students saw."""
    other_reasons: list[dict[str, Any]]
    """Left as it was, raised, timed out: what went wrong without a wrong idea behind it."""
    to_look_at: list[dict[str, Any]]
    limits: list[dict[str, Any]]
    notices: list[str]
    """How the class was graded, and what is to be known before one reads the figures."""
    adjustments: list[str]
    with_names: bool


def overview(course: Course, assignment: str, *, names: bool = True) -> Overview:
    """Gather a report.

    Args:
        names: without them, students are numbered in a random order, and what may hold a name or a private reason is
            left out: messages about a submission, reasons for extensions.

    Raises:
        LookupError: there is no such assignment.
        ValueError: adjustments.toml says something that it cannot.
    """
    stands = standing(course, assignment)
    results = {row["student_id"]: read_result(course, assignment, row["student_id"]) for row in stands.rows}
    called = _names([row["student_id"] for row in stands.rows], names)
    scores = [row["adjusted"] for row in stands.rows if row["adjusted"] is not None]
    most = max((row["adjusted_max"] for row in stands.rows if row["adjusted"] is not None), default=None)
    found = {s: r for s, r in results.items() if r is not None}
    ideas, others = _findings(found)
    return Overview(
        assignment=assignment,
        made_at=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        students=sorted(_students(stands, called, names), key=lambda row: row["student_id"]),
        max_score=most,
        spread=measures.spread(scores),
        histogram=measures.histogram([score / most for score in scores] if most else []),
        unscored=len(stands.rows) - len(scores),
        exercises=_exercises(stands, found),
        misconceptions=ideas,
        other_reasons=others if names else [{**row, "symptom": ""} for row in others],
        to_look_at=_to_look_at(stands, found, called, names),
        limits=_limits(found, called, names),
        notices=_notices(stands, found, names),
        adjustments=_adjustments(stands, names),
        with_names=names,
    )


def _names(students: list[str], names: bool) -> dict[str, str]:
    """How the report calls each student. Numbers are given out at random: no order may say who is who."""
    if names:
        return {student: student for student in students}
    mixed = random.SystemRandom().sample(students, len(students))
    digits = len(str(len(students)))
    return {student: _("no. {n}").format(n=f"{number:0{digits}}") for number, student in enumerate(mixed, 1)}


def _students(stands: Standing, called: dict[str, str], names: bool) -> list[dict[str, Any]]:
    rows = []
    for row in stands.rows:
        hidden = {} if names else {"why": "", "submitted_at": None, "graded_at": None}
        rows.append({**row, "student_id": called[row["student_id"]], **hidden})
    return rows


# ---------------------------------------------------------------- exercises


def _exercises(stands: Standing, results: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    points = {student: _points(stands, student, result) for student, result in results.items()}
    marking = any(known.waiting for known in stands.known.values())  # marks that some have yet tell nothing about rank
    counting = {e.id for e in stands.exercises if e.counts and not (marking and e.kind == "written")}
    rows = []
    for one in stands.exercises:
        with_it = [student for student, own in points.items() if one.id in own]
        own = [points[s][one.id] for s in with_it]
        rest = [sum(p for name, p in points[s].items() if name in counting and name != one.id) for s in with_it]
        full = _full(one)
        reached = sum(p >= full for p in own)
        rows.append(
            {
                "exercise": one.id,
                "kind": one.kind,
                "students": len(own),
                "full_marks": reached,
                "pass_rate": reached / len(own) if own else None,
                "mean": statistics.fmean(own) if own and one.kind != "prediction" else None,
                "points": one.points if one.kind != "prediction" else None,
                "discrimination": measures.discrimination(own, rest),
                "adjustment": _change(stands, one),
            }
        )
    return rows


def _full(one: Listed) -> float:
    return 1.0 if one.kind == "prediction" else one.points


def _points(stands: Standing, student: str, result: dict[str, Any]) -> dict[str, float]:
    """A student's points by exercise, marks by hand included; a prediction has 1 where it is right. Never stale ones."""
    waiting = stands.known[student].waiting if student in stands.known else []
    marked = {c["cell"]: c["score"] for c in stands.known[student].cells} if student in stands.known else {}
    entries = {e["id"]: e for n in result["notebooks"] if n["state"] == "graded" for e in n["exercises"]}
    found = {}
    for one in stands.exercises:
        entry = entries.get(one.id)
        if entry is None or (one.kind == "written" and one.cell in waiting):
            continue
        if one.kind == "prediction":
            found[one.id] = 0.0 if entry["findings"] or entry["status"] != "scored" else 1.0
        elif one.counts and one.cell in marked:
            found[one.id] = marked[one.cell]
        elif entry["score"] is not None:
            found[one.id] = float(entry["score"])
    return found


def _change(stands: Standing, one: Listed) -> str:
    change = stands.adjustments.exercises.get(one.id)
    if change is None:
        return ""
    return f"{_('dropped') if change.do == DROP else _('full marks for all')}: {change.why}"


# ---------------------------------------------------------------- findings


def _findings(results: dict[str, dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Misconceptions and other reasons, by the number of students who had them, with the words most of them saw."""
    students: dict[str, set[str]] = defaultdict(set)
    words: dict[str, Counter[tuple[str, str]]] = defaultdict(Counter)
    for student, result in results.items():
        for finding in (f for n in result["notebooks"] for e in n["exercises"] for f in e["findings"]):
            if finding["misconception"]:
                students[finding["misconception"]].add(student)
                words[finding["misconception"]][finding["symptom"], finding["why"]] += 1
    ideas, others = [], []
    for name in sorted(students, key=lambda n: (-len(students[n]), n)):
        (symptom, why), _count = words[name].most_common(1)[0]
        row = {"students": len(students[name]), "misconception": name, "symptom": symptom, "why": why}
        (ideas if _is_misconception(name) else others).append(row)
    return ideas, others


def _is_misconception(name: str) -> bool:
    exercise_id, _slash, short = name.partition("/")
    try:
        return short in find_exercise(exercise_id).misconceptions
    except UnknownExercise:
        return False


# ---------------------------------------------------------------- what needs a person


def _to_look_at(
    stands: Standing, results: dict[str, dict[str, Any]], called: dict[str, str], names: bool
) -> list[dict[str, Any]]:
    rows = []

    def add(student: str, what: str, text: str) -> None:
        rows.append({"student": called[student], "what": what, "text": text if names else ""})

    order = (_("failed"), _("ambiguous"), _("unreadable"), _("missing"))
    for row in stands.rows:
        student, result = row["student_id"], results.get(row["student_id"])
        for notebook in result["notebooks"] if result else ():
            if notebook["state"] != "graded":
                cause = notebook["cause"] or ""
                text = cause if notebook["name"] in cause else f"{notebook['name']}: {cause}"
                add(student, _(notebook["state"]), text)
        for kind, what in (("suspicion", _("suspicion")), ("time", _("time"))):
            for message in _notes(result, kind):
                add(student, what, message)
        if row["state"] == "not graded":
            add(student, _("not graded"), row["stale"])
        elif row["stale"]:
            add(student, _("stale"), row["stale"])
        known = stands.known.get(student)
        if known and known.waiting:
            add(student, _("not marked yet"), ", ".join(known.waiting))
        for mark in known.by_hand if known else ():
            if mark["automatic"] is not None and mark["automatic"] != mark["mark"]:
                add(student, _("marked by hand"), _("{cell}: by hand {mark:g}, automatic {automatic:g}").format(**mark))
    order += (_("not graded"), _("suspicion"), _("stale"), _("time"), _("marked by hand"), _("not marked yet"))
    rows.sort(key=lambda row: (order.index(row["what"]), row["student"]))
    return _together(rows)


def _together(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows that say the same as one, with all students; a student of whom it is said several times is there once."""
    students: dict[tuple[str, str], dict[str, None]] = {}
    for row in rows:
        students.setdefault((row["what"], row["text"]), {})[row["student"]] = None
    return [{"what": what, "students": list(s), "text": text} for (what, text), s in students.items()]


def _notes(result: dict[str, Any] | None, kind: str) -> list[str]:
    return [note["message"] for note in result["notes"] if note["kind"] == kind] if result else []


def _limits(results: dict[str, dict[str, Any]], called: dict[str, str], names: bool) -> list[dict[str, Any]]:
    """Where a cell, an exercise or a notebook was stopped: its notes, and exercises of which no note tells."""
    rows = []
    for student, result in results.items():
        messages = _notes(result, "limit")
        for entry in (e for n in result["notebooks"] for e in n["exercises"] if e["status"] in ENDED):
            if names and not any(entry["id"] in m for m in messages):
                messages.append(f"{entry['id']}: {ENDED[entry['status']]}")
        rows += [{"student": called[student], "what": _("limit"), "text": m if names else ""} for m in messages]
    rows.sort(key=lambda row: row["student"])
    return _together(rows)


# ---------------------------------------------------------------- what to know before reading


def _notices(stands: Standing, results: dict[str, dict[str, Any]], names: bool) -> list[str]:
    told = []
    waiting = sum(bool(k.waiting) for k in stands.known.values())
    if waiting:
        text = _("Students with written answers that nobody has marked yet: {n}. These count 0 until then.")
        told.append(text.format(n=waiting))
    stale = sum(bool(row["stale"]) and row["score"] is not None for row in stands.rows)
    if stale:
        told.append(_("Stale scores: {n}; see below.").format(n=stale))
    how = Counter(message for result in results.values() for message in set(_notes(result, "environment")))
    for message, n in how.most_common() if names else ():
        told.append(_("{message} ({n} of {all} submissions)").format(message=message, n=n, all=len(results)))
    if how and not names:
        n = sum(bool(_notes(result, "environment")) for result in results.values())
        told.append(_("Submissions with notes on how they were graded: {n}.").format(n=n))
    if stands.nobody:
        text = _("Students whom adjustments.toml names, and who have handed in nothing: {n}.")
        told.append(text.format(n=len(stands.nobody)))
    return told


def _adjustments(stands: Standing, names: bool) -> list[str]:
    ours = stands.adjustments
    told = [f"{e.id}: {_change(stands, e)}" for e in stands.exercises if e.id in ours.exercises]
    if ours.late is not None and ours.due is not None:
        late = ours.late
        what = _("the score") if late.of == "score" else _("the maximum")
        text = _("Late work: due {due}, {grace:g} minutes of grace, {percent:g} % of {what} for each day begun")
        minutes = late.grace.total_seconds() / 60
        line = text.format(
            due=ours.due.isoformat(timespec="minutes"), grace=minutes, percent=late.percent_per_day, what=what
        )
        if late.cut_off is not None:
            line += _("; 0 after {n:g} days").format(n=late.cut_off.total_seconds() / 86400)
        told.append(line + ".")
    if ours.students and names:
        told.append(_("Students who have more time: {names}.").format(names=", ".join(sorted(ours.students))))
    elif ours.students:
        told.append(_("Students who have more time: {n}.").format(n=len(ours.students)))
    return told
