"""From a submission's bytes to its result: a pure function, without course and database.

`grade_submission` may run on any `concurrent.futures.Executor`: its arguments and its result can be pickled, and
nothing is shared between two submissions but the judge's process.
"""

import shutil
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from common.env import versions
from common.exercise import find_exercise
from common.i18n import _
from common.lessons import find_lesson
from common.platform_checks import missing_parts
from pt2e_kit.grading import plain, results, suspicion
from pt2e_kit.grading.collect import Found, collect
from pt2e_kit.grading.execute import Executed, execute
from pt2e_kit.grading.judge import judge_exercises
from pt2e_kit.grading.notes import CannotGrade, Note, printable
from pt2e_kit.grading.outputs import keep_safe_outputs, show_score, show_verdict
from pt2e_kit.grading.rebuild import Rebuilt, rebuild, unanswered
from pt2e_kit.grading.sandbox import Sandbox, bubblewrap, scratch_folder
from pt2e_kit.grading.seize import seize
from pt2e_kit.grading.times import submitted_at
from pt2e_kit.notebooks import Unreadable, exercise_cells, grade_metadata, is_answer, is_graded, read_notebook
from pt2e_kit.settings import DEFAULT_LIMITS, Limits, read_class_seed


@dataclass
class Graded:
    """The result of one submission and its notebooks: rebuilt, executed, with findings in the test cells."""

    result: dict[str, Any]
    notebooks: dict[str, NotebookNode] = field(default_factory=dict)


def grade_submission(
    source: Path,
    submission: Path,
    *,
    assignment: str | None = None,
    student: str | None = None,
    class_seed: str | None = None,
    limits: Limits = DEFAULT_LIMITS,
    keep_evidence: Path | None = None,
) -> Graded:
    """Grade what one student handed in.

    Args:
        source: the folder of the assignment's instructor notebooks and helper files.
        submission: the folder that was handed in. It is only read.
        assignment, student: names in the result; the folders' names where they are not given.
        class_seed: the secret from which hidden cases get their seeds; the default seed file where it is not given.
        keep_evidence: a folder into which the evidence is copied, one subfolder for each notebook.

    Returns:
        The result (see docs/results.schema.json) and the graded notebooks. A submission that cannot be graded has a
        state and a cause; only a faulty `source` raises.

    Raises:
        ValueError: the source folder holds no notebook, or one that cannot be read.
    """
    began = time.monotonic()
    student = student or submission.name
    class_seed = class_seed or read_class_seed()
    instructors = read_source(source)
    max_score = sum(_max_score(notebook) for notebook in instructors.values())
    moment, notes = submitted_at(submission)
    if bubblewrap() is None:
        text = _("graded without a sandbox: bubblewrap is not installed or does not work here")
        notes.append(Note("environment", text))
    graded = Graded({})
    entries = []
    for found in collect(submission, list(instructors), limits.notebook_bytes):
        notes += found.notes
        try:
            one = _Notebook(source, found, instructors[found.name], student, class_seed, limits, keep_evidence)
            entries.append(results.notebook_entry(found.name, "graded", None, one.grade(notes)))
            graded.notebooks[found.name] = one.notebook
        except CannotGrade as problem:
            entries.append(results.notebook_entry(found.name, problem.state, printable(problem.cause), []))
        except Exception as error:  # ours, or the machine's; whatever it is, the next notebook is graded all the same
            last = traceback.extract_tb(error.__traceback__)[-1]
            cause = _("grading stopped with {type}: {e} ({file}, line {line})").format(
                type=type(error).__name__, e=str(error)[:300], file=Path(last.filename).name, line=last.lineno
            )
            entries.append(results.notebook_entry(found.name, "failed", printable(cause), []))
    graded.result = results.submission(
        assignment=assignment or source.name,
        student=student,
        notebooks=entries,
        max_score=max_score,
        notes=notes,
        submitted_at=moment,
        graded_at=datetime.now(UTC).isoformat(timespec="seconds"),
        seconds=round(time.monotonic() - began, 3),
        versions=versions(),
    )
    return graded


def read_source(source: Path) -> dict[str, NotebookNode]:
    """Return the instructor notebooks of an assignment by name, in order.

    Raises:
        ValueError: there is none, or one cannot be read.
    """
    found = {}
    for path in sorted(source.glob("*.ipynb")):
        try:
            found[path.stem] = read_notebook(path.read_bytes())
        except Unreadable as error:
            raise ValueError(_("{path} cannot be read: {e}").format(path=path, e=error)) from error
    if not found:
        raise ValueError(_("there is no instructor notebook (*.ipynb) in {path}").format(path=source))
    return found


def _max_score(instructor: NotebookNode) -> float:
    """The most points that are given automatically: core exercises and plain test cells."""
    ours = {e.grade_id: find_exercise(e.exercise_id) for e in exercise_cells(instructor)}
    total = 0.0
    for cell in instructor.cells:
        if is_graded(cell) and not is_answer(cell):
            exercise = ours.get(grade_metadata(cell)["grade_id"])
            if exercise is None:
                total += float(grade_metadata(cell).get("points") or 0)
            elif exercise.kind == "core":
                total += exercise.points
    return total


class _Notebook:
    """One notebook on its way through rebuild, execute and judge."""

    def __init__(
        self,
        source: Path,
        found: Found,
        instructor: NotebookNode,
        student: str,
        class_seed: str,
        limits: Limits,
        keep_evidence: Path | None,
    ) -> None:
        self.source, self.found, self.limits, self.keep_evidence = source, found, limits, keep_evidence
        self.instructor, self.student, self.class_seed = instructor, student, class_seed
        self.notebook = instructor

    def grade(self, notes: list[Note]) -> list[dict[str, Any]]:
        """Return the entries of all graded cells; adds to `notes`."""
        if self.found.problem is not None:
            raise self.found.problem
        assert self.found.data is not None
        try:
            submitted = read_notebook(self.found.data)
        except Unreadable as error:
            raise CannotGrade("unreadable", f"{self.found.name}.ipynb: {error}") from None
        rebuilt = rebuild(self.instructor, submitted, class_seed=self.class_seed, student=self.student)
        self.notebook = rebuilt.notebook
        notes += rebuilt.notes
        notes += suspicion.look(rebuilt.student_sources)
        self._require_parts(rebuilt)
        with scratch_folder() as scratch:
            executed = execute(rebuilt.notebook, lambda: Sandbox.new(scratch, self.source, self.limits), self.limits)
            keep_safe_outputs(rebuilt.notebook)
            evidence = scratch / "seized"
            notes += executed.notes + seize(executed.evidence, evidence)
            if self.keep_evidence is not None:
                target = self.keep_evidence / self.found.name
                shutil.rmtree(target, ignore_errors=True)
                shutil.copytree(evidence, target)
            verdicts, more = judge_exercises(rebuilt.exercises, rebuilt.student_sources, evidence, self.limits)
            verdicts = printable(verdicts)
            notes += [Note(n["kind"], n["message"]) for v in verdicts.values() for n in v["notes"]]  # type: ignore[arg-type]
            notes += [Note(n["kind"], n["message"]) for n in more]  # type: ignore[arg-type]
        return [
            self._entry(cell, index, executed, verdicts, rebuilt, notes)
            for index, cell in enumerate(self.notebook.cells)
            if is_graded(cell)
        ]

    def _require_parts(self, rebuilt: Rebuilt) -> None:
        lessons = {find_exercise(e.exercise_id).lesson for e in rebuilt.exercises}
        needs = sorted({need for lesson in lessons for need in find_lesson(lesson).needs})
        missing = missing_parts(needs)
        if missing:
            text = _("this machine lacks what the exercises need: {parts}")
            parts = "; ".join(f"{p.id} ({p.how})" for p in missing)
            raise CannotGrade("failed", text.format(parts=parts))

    def _entry(
        self,
        cell: NotebookNode,
        index: int,
        executed: Executed,
        verdicts: dict[str, dict[str, Any]],
        rebuilt: Rebuilt,
        notes: list[Note],
    ) -> dict[str, Any]:
        metadata = grade_metadata(cell)
        grade_id, points = metadata["grade_id"], float(metadata.get("points") or 0)
        if is_answer(cell):
            if unanswered(rebuilt, cell):
                return results.cell_entry(grade_id, "written", 0, points, "missing")
            return results.cell_entry(grade_id, "written", None, points, "manual")
        if grade_id in verdicts:
            verdict = verdicts[grade_id]
            if verdict["status"] in ("timeout", "died"):
                text = _("{id}: trying the answer ended early ({status})")
                notes.append(Note("limit", text.format(id=verdict["id"], status=verdict["status"])))
            show_verdict(cell, verdict, points)
            return results.exercise_entry(verdict)
        scored = plain.score(cell, executed.statuses.get(index, "missing"), points)
        if scored.note:
            notes.append(scored.note)
        show_score(cell, scored.score, points)
        return results.cell_entry(grade_id, "plain", scored.score, points, scored.status, scored.symptom)
