"""The one writer: grades an assignment's submissions side by side, and records them one after the other."""

import contextlib
import logging
import tempfile
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from common.i18n import _
from pt2e_kit.course import Course, put_own_programs_on_path
from pt2e_kit.grading.pipeline import Graded, grade_submission
from pt2e_kit.grading.results import failed, write_json
from pt2e_kit.nbgrader_staging import install
from pt2e_kit.nbgrader_steps import GradeSubmission, RefuseUnjudged, hand_over, take_back
from pt2e_kit.settings import DEFAULT_LIMITS, Limits, read_class_seed

Progress = Callable[[dict[str, Any]], None]
"""Called with each result as it is recorded."""


@dataclass(frozen=True)
class Outcome:
    """The results of an assignment, by student."""

    results: dict[str, dict[str, Any]]

    @property
    def all_graded(self) -> bool:
        """Whether every submission is graded."""
        return all(r["state"] == "graded" for r in self.results.values())


def grade_assignment(
    course: Course,
    assignment: str,
    *,
    jobs: int = 2,
    students: list[str] | None = None,
    seed_file: Path | None = None,
    limits: Limits = DEFAULT_LIMITS,
    progress: Progress = lambda _result: None,
    executor: Executor | None = None,
) -> Outcome:
    """Grade the submissions of an assignment and record them in the gradebook.

    Args:
        jobs: how many submissions run side by side; not used when an `executor` is given.
        students: only these; all where it is not given.

    Raises:
        LookupError: no such assignment, or a student who has handed in nothing.
        RuntimeError: somebody else is grading this course right now.
    """
    source = course.source(assignment)
    submissions = course.submissions(assignment)
    for student in students or ():
        if student not in submissions:
            text = _("{student} has handed in nothing for {assignment} (no folder {folder})")
            folder = Path("submitted", student, assignment)
            raise LookupError(text.format(student=student, assignment=assignment, folder=folder))
    chosen = {s: p for s, p in submissions.items() if not students or s in students}
    class_seed = read_class_seed(seed_file)
    results: dict[str, dict[str, Any]] = {}
    with _only_grader(course), contextlib.ExitStack() as stack:
        prepare_gradebook(course, assignment)
        pool = executor or stack.enter_context(ThreadPoolExecutor(max(1, jobs)))
        waiting = {
            pool.submit(
                grade_submission,
                source,
                path,
                assignment=assignment,
                student=student,
                class_seed=class_seed,
                limits=limits,
                keep=course.results(assignment, student) / "kept",
            ): student
            for student, path in chosen.items()
        }
        try:
            for done in as_completed(waiting):
                graded = done.result()
                result = results[waiting[done]] = record(course, graded)
                progress(result)
        except BaseException:
            for future in waiting:
                future.cancel()
            raise
    return Outcome(dict(sorted(results.items())))


@contextlib.contextmanager
def _only_grader(course: Course) -> Iterator[None]:
    """One grader at a time: two would write the same gradebook."""
    (course.root / "results").mkdir(exist_ok=True)
    try:
        with FileLock(course.root / "results" / ".grading.lock", timeout=0):
            yield
    except Timeout:
        raise RuntimeError(_("another process is grading this course; wait until it is done")) from None


def record(course: Course, graded: Graded) -> dict[str, Any]:
    """Write results.json, and the notebooks that are graded into autograded/ and the gradebook; return the result.

    A notebook that is not graded leaves what the gradebook holds as it is. A submission that the gradebook does not
    take is `failed`.
    """
    if graded.notebooks:
        try:
            _record_in_gradebook(course, graded)
        except Exception as error:  # whatever it is, the others are recorded all the same
            graded = Graded(failed(graded.result, str(error)))
    write_result(course, graded)
    return graded.result


def write_result(course: Course, graded: Graded) -> None:
    """Write results.json of a submission."""
    folder = course.results(graded.result["assignment"], graded.result["student"])
    write_json(folder / "results.json", graded.result)


def _record_in_gradebook(course: Course, graded: Graded) -> None:
    """Let nbgrader's own Autograde write gradebook and autograded/, from notebooks that are graded already."""
    from nbgrader.converters import Autograde

    student, assignment = graded.result["student"], graded.result["assignment"]
    directory, config = course.nbgrader(assignment, student)
    hand_over(student, assignment, graded)
    try:
        convert(Autograde, directory, config)
    finally:
        take_back(student, assignment)


def prepare_gradebook(course: Course, assignment: str) -> None:
    """Let the gradebook know the assignment's cells and points as they are in source/ now."""
    from nbgrader.converters import GenerateAssignment

    with tempfile.TemporaryDirectory(prefix="pt2e-") as elsewhere:
        directory, config = course.nbgrader(assignment, ".", release_directory=elsewhere)
        convert(GenerateAssignment, directory, config)


def write_feedback(course: Course, assignment: str, student: str = "*") -> list[Path]:
    """Write the feedback pages of what is graded into feedback/; return their paths."""
    from nbgrader.converters import GenerateFeedback

    if not list((course.root / "autograded").glob(f"{student}/{assignment}/*.ipynb")):
        return []
    directory, config = course.nbgrader(assignment, student)
    convert(GenerateFeedback, directory, config)
    return sorted((course.root / "feedback").glob(f"{student}/{assignment}/*.html"))


def convert(kind: Any, directory: Any, config: Any) -> None:
    """Run one of nbgrader's converters, with its log kept for the case that it fails.

    Raises:
        RuntimeError: it failed; the message holds what nbgrader logged.
    """
    put_own_programs_on_path()
    install()
    log = logging.getLogger(f"pt2e_kit.nbgrader.{id(directory)}")
    log.propagate = False
    told = _Kept()
    log.addHandler(told)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # nbgrader's own use of SQLAlchemy warns a lot
            converter = kind(coursedir=directory, config=config)
            converter.log = directory.log = log
            converter.force = True
            steps = getattr(converter, "autograde_preprocessors", None)
            if steps is not None and not {GradeSubmission, RefuseUnjudged} <= set(steps):
                raise ValueError(_("nbgrader_config.py lacks GradeSubmission or RefuseUnjudged in Autograde's steps"))
            converter.start()
    except Exception as error:
        text = _("nbgrader could not do its part ({name}): {e}")
        message = text.format(name=kind.__name__, e="; ".join([*told.lines, str(error)]))
        if "Cannot add or remove cells" in message:
            message += "\n" + _(
                "Cells were added to source/ or removed since something was graded. To go on, save gradebook.db, run "
                "`nbgrader db assignment remove {name} --force`, grade again, and enter marks given by hand anew."
            ).format(name=directory.assignment_id)
        raise RuntimeError(message) from error
    finally:
        log.removeHandler(told)


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
