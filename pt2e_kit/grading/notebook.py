"""One notebook on its way: rebuild → execute → judge → the entries of its result."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from common.exercise import find_exercise
from common.i18n import _
from common.lessons import find_lesson
from common.platform_checks import missing_parts
from pt2e_kit.grading import kept, plain, results, suspicion
from pt2e_kit.grading.collect import Found
from pt2e_kit.grading.execute import execute
from pt2e_kit.grading.executed import Executed
from pt2e_kit.grading.judge import judge_exercises
from pt2e_kit.grading.notes import FOR_STUDENTS, TOLD, CannotGrade, Note, printable
from pt2e_kit.grading.outputs import keep_safe_outputs, show_score, show_verdict
from pt2e_kit.grading.rebuild import Rebuilt, rebuild, unanswered
from pt2e_kit.grading.sandbox import scratch_folder
from pt2e_kit.grading.seize import seize
from pt2e_kit.notebooks import Unreadable, grade_metadata, is_answer, is_graded, read_notebook
from pt2e_kit.settings import Limits


@dataclass(frozen=True)
class How:
    """How the notebooks of one submission are graded."""

    source: Path
    libraries: list[str]
    student: str
    class_seed: str
    limits: Limits
    keep: Path | None
    """Where runs are kept."""
    rejudge: bool
    """Judge the runs that were kept; run nothing."""
    isolated: bool


def grade_notebook(
    found: Found, instructor: NotebookNode, how: How, notes: list[Note]
) -> tuple[NotebookNode, list[dict[str, Any]]]:
    """Return the graded notebook and the entries of its graded cells; adds to `notes`.

    Raises:
        CannotGrade: it gets no score; state and cause say why.
        NothingKept: it was to be judged again, but no run of it was kept.
    """
    if found.problem is not None:
        raise found.problem
    assert found.data is not None
    before = len(notes)
    try:
        submitted = read_notebook(found.data)
    except Unreadable as error:
        raise CannotGrade("unreadable", f"{found.name}.ipynb: {error}") from None
    rebuilt = rebuild(instructor, submitted, class_seed=how.class_seed, student=how.student)
    notes += rebuilt.notes
    notes += suspicion.look(rebuilt.student_sources)
    _require_parts(rebuilt)
    with scratch_folder() as scratch:
        executed, evidence = _run(found.name, rebuilt, instructor, how, scratch)
        notes += executed.notes
        verdicts, more = judge_exercises(rebuilt.exercises, rebuilt.student_sources, evidence, how.limits)
    verdicts = printable(verdicts)
    more += [note for verdict in verdicts.values() for note in verdict["notes"]]
    notes += [Note(n["kind"], n["message"]) for n in more]  # type: ignore[arg-type]
    entries = [
        _entry(cell, index, executed, verdicts, rebuilt, notes)
        for index, cell in enumerate(rebuilt.notebook.cells)
        if is_graded(cell)
    ]
    told = [note.message for note in (*found.notes, *notes[before:]) if note.kind in FOR_STUDENTS]
    if told:
        rebuilt.notebook.metadata[TOLD] = printable(list(dict.fromkeys(told)))
    return rebuilt.notebook, entries


def _run(name: str, rebuilt: Rebuilt, instructor: NotebookNode, how: How, scratch: Path) -> tuple[Executed, Path]:
    """Run the notebook, or take the run that was kept; outputs go into it. Return how it went, and the evidence."""
    notebook, what = rebuilt.notebook, kept.digest(rebuilt.notebook)
    if how.rejudge:
        found = kept.load(how.keep or Path(), name, notebook)
        return found.executed, found.evidence
    executed = execute(notebook, instructor, how.source, how.libraries, how.limits, isolated=how.isolated)
    keep_safe_outputs(notebook)
    evidence = scratch / "seized"
    executed.notes += seize(executed.evidence, evidence)
    if how.keep is not None:
        kept.keep(how.keep, name, what, notebook, executed, evidence)
    return executed, evidence


def _require_parts(rebuilt: Rebuilt) -> None:
    lessons = {find_exercise(e.exercise_id).lesson for e in rebuilt.exercises}
    needs = sorted({need for lesson in lessons for need in find_lesson(lesson).needs})
    missing = missing_parts(needs)
    if missing:
        text = _("this machine lacks what the exercises need: {parts}")
        parts = "; ".join(f"{p.id} ({p.how})" for p in missing)
        raise CannotGrade("failed", text.format(parts=parts))


def _entry(
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
