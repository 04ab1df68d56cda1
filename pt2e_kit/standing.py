"""How everybody stands: scores from the gradebook, and whether they are of what was handed in last and is asked now."""

import csv
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry
from nbgrader.plugins import ExportPlugin

from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.gradebook import Marks, marks, opened
from pt2e_kit.grading.pipeline import current_basis, read_source
from pt2e_kit.grading.results import scores_of
from pt2e_kit.record import read_result

COLUMNS = (
    "assignment", "student_id", "state", "score", "max_score", "stale", "remarks", "submitted_at", "graded_at",
)  # fmt: skip


def standings(course: Course, assignment: str) -> list[dict[str, Any]]:
    """Return a row (see `COLUMNS`) for everybody who has handed something in or stands in the gradebook.

    `score` is what the gradebook holds, marks by hand included; None where nothing was graded yet. `stale` says why it
    is not the score of what was handed in last by what is asked now, and is empty where it is.

    Raises:
        LookupError: there is no such assignment.
    """
    instructors = read_source(course.source(assignment))
    submissions = course.submissions(assignment)
    with opened(course.db_url()) as gradebook:
        known = marks(gradebook, assignment)
    rows = []
    for student in sorted(submissions.keys() | known.keys()):
        result = read_result(course, assignment, student)
        path = submissions.get(student)
        now = None
        if path is not None:
            now = current_basis(course.source(assignment), path, instructors, class_seed="")
        rows.append({"assignment": assignment, "student_id": student, **_row(result, known.get(student), now)})
    return rows


def _row(result: dict[str, Any] | None, known: Marks | None, now: dict[str, str] | None) -> dict[str, Any]:
    if result is None:
        state, stale = "not graded", [_("was not graded by pt2e-kit")] if known else []
        times = {"submitted_at": None, "graded_at": None}
    else:
        state, stale = result["state"], _stale(result, now)
        times = {key: result[key] for key in ("submitted_at", "graded_at")}
    scored = known is not None and (result is None or any(_has_score(n) for n in result["notebooks"]))
    return {
        "state": state,
        "score": known.score if known and scored else None,
        "max_score": known.max_score if known else (result or {}).get("max_score"),
        "stale": "; ".join(stale),
        "remarks": "; ".join(_remarks(known)) if known else "",
        **times,
    }


def _has_score(notebook: dict[str, Any]) -> bool:
    return notebook["state"] == "graded" or "earlier" in notebook


def _stale(result: dict[str, Any], now: dict[str, str] | None) -> list[str]:
    reasons = []
    for notebook in result["notebooks"]:
        if "earlier" in notebook:
            text = _("{name}: what was handed in last is {state}; the score is that of an earlier submission")
            reasons.append(text.format(name=notebook["name"], state=notebook["state"]))
    basis = result.get("basis", {})
    if now is None:
        reasons.append(_("what was handed in is no longer there"))
    elif basis.get("submission") != now["submission"]:
        reasons.append(_("handed in anew since, and not graded yet"))
    if now is not None and basis.get("source") != now["source"]:
        reasons.append(_("points, tests or exercises have changed since"))
    return reasons


def _remarks(known: Marks) -> list[str]:
    found = []
    for mark in known.by_hand:
        if mark["automatic"] is not None and mark["automatic"] != mark["mark"]:
            text = _("{cell}: by hand {mark:g}, automatic {automatic:g}")
            found.append(text.format(**mark))
    if known.waiting:
        found.append(_("waits for marks: {cells}").format(cells=", ".join(known.waiting)))
    return found


def changes(course: Course, assignment: str) -> list[dict[str, Any]]:
    """Return what differs from the result before, one row for each notebook or exercise whose state or score changed."""
    rows = []
    for folder in sorted((course.root / "results" / assignment).glob("*/")):
        before = read_result(course, assignment, folder.name, "before.json")
        result = read_result(course, assignment, folder.name)
        if before is None or result is None:
            continue
        old, new = scores_of(before), scores_of(result)
        for key in dict.fromkeys([*old, *new]):
            if old.get(key) != new.get(key):
                row = {"student_id": folder.name, "what": key, "before": old.get(key), "now": new.get(key)}
                rows.append(row | {"before_at": before["graded_at"], "now_at": result["graded_at"]})
    return rows


def write_csv(path: Path, columns: tuple[str, ...], rows: list[dict[str, Any]]) -> None:
    """Write rows as CSV (UTF-8), whole or not at all. No cell is taken for a formula by a spreadsheet."""
    part = path.with_name(path.name + ".part")
    with part.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows([[safe_cell(row.get(column)) for column in columns] for row in rows])
    part.replace(path)


def safe_cell(value: Any) -> Any:
    """A value as a spreadsheet shows it; text that would begin a formula gets an apostrophe in front."""
    if isinstance(value, str) and value.startswith(("=", "+", "-", "@", "\t", "\r")):
        return "'" + value
    return "" if value is None else value


class KitExportPlugin(ExportPlugin):
    """`nbgrader export` with nbgrader's own columns; behind them state, stale, and the adjusted score."""

    def export(self, gradebook: Any) -> None:
        """Write the CSV that ``--to`` names, grades.csv where it is not given."""
        from pt2e_kit.reports.adjusted import ADJUSTED_COLUMNS, standing

        course = Course.find()
        columns = (
            "assignment", "duedate", "timestamp", "student_id", "last_name", "first_name", "email", "raw_score",
            "late_submission_penalty", "score", "max_score", "state", "stale", *ADJUSTED_COLUMNS,
        )  # fmt: skip
        rows = []
        for assignment in gradebook.assignments:
            if self.assignment and assignment.name not in map(str, self.assignment):
                continue
            ours = {}
            if assignment.name in course.assignments():
                ours = {row["student_id"]: row for row in standing(course, assignment.name).rows}
            for student in gradebook.students:
                if self.student and student.id not in map(str, self.student):
                    continue
                rows.append(self._row(gradebook, assignment, student, ours.get(student.id)))
        write_csv(Path(self.to or "grades.csv"), columns, rows)

    def _row(self, gradebook: Any, assignment: Any, student: Any, ours: dict[str, Any] | None) -> dict[str, Any]:
        row: dict[str, Any] = {"assignment": assignment.name, "duedate": assignment.duedate, "student_id": student.id}
        row |= {name: getattr(student, name) for name in ("last_name", "first_name", "email")}
        row |= {"max_score": assignment.max_score, "raw_score": 0.0, "late_submission_penalty": 0.0, "score": 0.0}
        row |= {"state": ours["state"] if ours else "nothing handed in", "stale": ours["stale"] if ours else ""}
        row |= {name: ours[name] for name in ("adjusted", "adjusted_max", "why")} if ours else {}
        try:
            submission = gradebook.find_submission(assignment.name, student.id)
        except MissingEntry:
            return row
        if ours is not None and ours["score"] is None:  # nothing of it could be graded: no score, and not 0
            return row | {"raw_score": None, "late_submission_penalty": None, "score": None}
        penalty = submission.late_submission_penalty or 0.0
        row |= {"timestamp": submission.timestamp, "raw_score": submission.score, "late_submission_penalty": penalty}
        return row | {"score": max(0.0, submission.score - penalty)}
