"""Check one notebook as a whole: rebuilt, run and judged as it is when it is graded, and nothing is recorded.

The notebook is one's own, so where this machine has no sandbox it runs without one.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from common.exercise.order import checked_in, exercises_of
from common.exercise.progress import is_no_try, record
from common.i18n import _
from common.lessons import Lesson, find_lesson
from common.platform_checks import missing_parts
from pt2e_kit.grading.execute import execute
from pt2e_kit.grading.judge import judge_exercises
from pt2e_kit.grading.notes import Note, printable
from pt2e_kit.grading.plan import libraries
from pt2e_kit.grading.rebuild import Rebuilt, rebuild
from pt2e_kit.grading.sandbox import bubblewrap, scratch_folder
from pt2e_kit.grading.seize import seize
from pt2e_kit.notebooks import exercise_cells, read_notebook, with_cases
from pt2e_kit.settings import DEFAULT_LIMITS

SEED = "the seed of pt2e-kit check"
"""Of hidden cases: always the same, so that a failure can be looked into. Graders have seeds of their own."""


@dataclass(frozen=True)
class Checked:
    """What came out."""

    lesson: Lesson
    verdicts: list[dict[str, Any]]
    """One for each exercise of the lesson, in order, in the form of `Verdict.as_dict`."""
    hidden: bool
    """Whether the hidden cases were tried too."""
    notes: list[Note] = field(default_factory=list)
    """What kept the check from its end: a cell that was stopped, say."""

    @property
    def solved(self) -> bool:
        """Whether every exercise is solved."""
        return all(verdict["passed"] for verdict in self.verdicts)

    def to_do(self) -> dict[str, Any] | None:
        """The exercise to work on: the first whose answer is wrong, else the first that has none yet."""
        left = [verdict for verdict in self.verdicts if not verdict["passed"]]
        return next((v for v in left if not is_no_try(v)), left[0] if left else None)


@dataclass(frozen=True)
class Lecture:
    """The instructor's side of a notebook: which lesson it is, and what to rebuild it from."""

    lesson: Lesson
    instructor: NotebookNode
    folder: Path
    """Where its helper files are."""
    libraries: list[str]


def lesson_of(notebook: NotebookNode, path: Path) -> Lesson:
    """Return the lesson that a notebook is of: by what it checks, whatever its file is called.

    Raises:
        ValueError: it checks no exercise of the course.
    """
    sources = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code")
    counted = Counter(i.partition(".")[0] for i in checked_in(sources))
    for lesson_id, _count in counted.most_common():
        return find_lesson(lesson_id)
    text = _('{path} checks no exercise of this course: it has no cell with check("…")')
    raise ValueError(text.format(path=path))


def find_lecture(course: Path, lesson: Lesson, *, hidden: bool) -> Lecture:
    """Return what to rebuild a notebook of this lesson from.

    Raises:
        FileNotFoundError: source/ of this course does not hold the lesson.
    """
    folder = course / "source" / lesson.module
    found = sorted(folder.glob(f"{lesson.id}_*.ipynb"))
    if not found:
        text = _("a whole notebook is checked against the course's source/, and {folder} holds no {lesson}")
        raise FileNotFoundError(text.format(folder=folder, lesson=lesson.id))
    instructor = read_notebook(found[0].read_bytes())
    if not hidden:
        for cell in exercise_cells(instructor):
            target = instructor.cells[cell.index]
            target.source = with_cases(target.source, cell.exercise_id, [])
    return Lecture(lesson, instructor, folder, libraries([instructor], folder))


def check_notebook(course: Path, path: Path, *, hidden: bool = False) -> Checked:
    """Check all exercises of a notebook. It is only read.

    Args:
        course: the course's folder.
        path: the notebook, under whatever name and wherever it lies.
        hidden: try the hidden cases too.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no notebook of this course.
        RuntimeError: this machine cannot run or judge it.
    """
    submitted = _read(path)
    lecture = find_lecture(course, lesson_of(submitted, path), hidden=hidden)
    parts = missing_parts(lecture.lesson.needs)
    rebuilt = rebuild(lecture.instructor, submitted, class_seed=SEED, student="")
    verdicts, notes = _run(rebuilt, lecture)
    notes += [
        Note(
            "environment", _("this machine lacks {part}, which some exercises need: {how}").format(part=p.id, how=p.how)
        )
        for p in parts
    ]
    by_id = {verdict["id"]: verdict for verdict in verdicts.values()}
    order = [*exercises_of(lecture.lesson.id), *by_id]
    told = [by_id[i] for i in dict.fromkeys(order) if i in by_id]
    return Checked(lecture.lesson, told, hidden, [n for n in notes if n.kind in ("limit", "environment")])


def _read(path: Path) -> NotebookNode:
    try:
        return read_notebook(path.read_bytes())
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _run(rebuilt: Rebuilt, lecture: Lecture) -> tuple[dict[str, dict[str, Any]], list[Note]]:
    """Run and judge; a machine that cannot do so is an error here, not a state."""
    from pt2e_kit.grading.notes import CannotGrade

    try:
        with scratch_folder() as scratch:
            isolated = bubblewrap() is not None
            done = execute(
                rebuilt.notebook,
                lecture.instructor,
                lecture.folder,
                lecture.libraries,
                DEFAULT_LIMITS,
                isolated=isolated,
            )
            notes = done.notes + seize(done.evidence, scratch / "seized")
            verdicts, _more = judge_exercises(
                rebuilt.exercises, rebuilt.student_sources, scratch / "seized", DEFAULT_LIMITS
            )
    except CannotGrade as problem:
        raise RuntimeError(problem.cause) from None
    return printable(verdicts), notes


def record_all(checked: Checked, before: Sequence[Mapping[str, Any]] = ()) -> None:
    """Note the outcomes as progress; not those that are as they were `before`."""
    known = {verdict["id"]: verdict for verdict in before}
    for verdict in checked.verdicts:
        if verdict != known.get(verdict["id"]):
            record(verdict, hidden=checked.hidden)


def solution_of(course: Path, lesson: Lesson) -> Path | None:
    """Return the notebook with the answers, where the course has it."""
    return next(iter(sorted((course / "solutions" / lesson.module).glob(f"{lesson.id}_*.ipynb"))), None)
