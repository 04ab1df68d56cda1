"""The one writer: grades an assignment's submissions side by side, and records them one after the other."""

import contextlib
import json
import logging
import warnings
from collections.abc import Callable, Generator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.course import Course, put_own_programs_on_path
from pt2e_kit.gradebook import make_if_missing, marks, opened
from pt2e_kit.grading import temporary, warm
from pt2e_kit.grading.kept import NothingKept
from pt2e_kit.grading.pipeline import Graded, current_basis, grade_submission, read_source, warm_up
from pt2e_kit.grading.results import failed, keep_earlier, scores_of, write_json
from pt2e_kit.grading.sandbox import NoSandbox, bubblewrap
from pt2e_kit.grading.times import configured_zone
from pt2e_kit.lock import only_grader
from pt2e_kit.nbgrader_staging import install
from pt2e_kit.nbgrader_steps import GradeSubmission, RefuseUnjudged, hand_over, take_back
from pt2e_kit.settings import DEFAULT_LIMITS, Limits, read_class_seed

Progress = Callable[[dict[str, Any]], None]
"""Called with each result as it is recorded."""


@dataclass(frozen=True)
class Outcome:
    """The results of an assignment, by student."""

    results: dict[str, dict[str, Any]]
    unchanged: frozenset[str] = frozenset()
    """Students whose result rests on what is there now, so that it was left as it is."""
    not_rejudged: dict[str, str] = field(default_factory=dict)
    """Students of whom no run is kept that could be judged again → why."""

    @property
    def all_graded(self) -> bool:
        """Whether every submission is graded."""
        return not self.not_rejudged and all(r["state"] == "graded" for r in self.results.values())


def grade_assignment(
    course: Course,
    assignment: str,
    *,
    jobs: int = 2,
    students: list[str] | None = None,
    seed_file: Path | None = None,
    limits: Limits = DEFAULT_LIMITS,
    force: bool = False,
    rejudge: bool = False,
    unsafe_no_sandbox: bool = False,
    progress: Progress = lambda _result: None,
    executor: Executor | None = None,
) -> Outcome:
    """Grade the submissions of an assignment and record them in the gradebook.

    What is graded already, and rests on the same submission, source and class seed, is left as it is; so a grading
    that was interrupted goes on where it stopped.

    Args:
        jobs: how many submissions run side by side; not used when an `executor` is given.
        students: only these; all where it is not given.
        force: grade all anew.
        rejudge: judge kept runs again, with the judges and points of now; nothing is run.
        unsafe_no_sandbox: see `grade_submission`.

    Raises:
        LookupError: no such assignment, or a student who has handed in nothing.
        RuntimeError: somebody else is grading this course right now, or there is no sandbox.
    """
    source = course.source(assignment)
    chosen = _chosen(course, assignment, students)
    class_seed, zone = read_class_seed(seed_file), configured_zone(course.config())
    if bubblewrap() is None and not unsafe_no_sandbox and not rejudge:
        raise NoSandbox
    results: dict[str, dict[str, Any]] = {}
    not_rejudged: dict[str, str] = {}
    with only_grader(course.root / "results", assignment), contextlib.ExitStack() as stack:
        pool = executor or stack.enter_context(ThreadPoolExecutor(max(1, jobs)))
        if chosen and not rejudge:
            warm_up(source)
        prepare_gradebook(course, assignment)
        if not (force or rejudge):
            results = _up_to_date(course, assignment, chosen, class_seed)
        unchanged = frozenset(results)
        for result in results.values():
            progress(result)

        def submit(student: str) -> "Future[Graded]":
            return pool.submit(
                grade_submission,
                source,
                chosen[student],
                assignment=assignment,
                student=student,
                class_seed=class_seed,
                limits=limits,
                keep=course.results(assignment, student) / "kept",
                rejudge=rejudge,
                zone=zone,
                unsafe_no_sandbox=unsafe_no_sandbox,
            )

        todo = [student for student in chosen if student not in unchanged]
        finished = stack.enter_context(contextlib.closing(_in_turn(todo, submit, ahead=2 * jobs + 2)))
        for student, done in finished:
            try:
                results[student] = record(course, done.result())
                progress(results[student])
            except NothingKept as reason:
                not_rejudged[student] = str(reason)
    return Outcome(dict(sorted(results.items())), unchanged, dict(sorted(not_rejudged.items())))


def _in_turn(
    students: list[str], submit: Callable[[str], "Future[Graded]"], ahead: int
) -> Generator[tuple[str, "Future[Graded]"], None, None]:
    """Yield what is done as it comes; no more than `ahead` are under way, so that a large class needs no more memory.

    Where it is left early (Ctrl-C, an error), what runs is stopped at once.
    """
    todo, waiting = iter(students), dict[Future[Graded], str]()
    try:
        while True:
            while len(waiting) < ahead and (student := next(todo, None)) is not None:
                waiting[submit(student)] = student
            if not waiting:
                return
            for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                yield waiting.pop(done), done
    finally:
        if waiting:
            for future in waiting:
                future.cancel()
            warm.close_all()


def _chosen(course: Course, assignment: str, students: list[str] | None) -> dict[str, Path]:
    submissions = course.submissions(assignment)
    for student in students or ():
        if student not in submissions:
            text = _("{student} has handed in nothing for {assignment} (no folder {folder})")
            folder = Path("submitted", student, assignment)
            raise LookupError(text.format(student=student, assignment=assignment, folder=folder))
    return {s: p for s, p in submissions.items() if not students or s in students}


def _up_to_date(
    course: Course, assignment: str, submissions: dict[str, Path], class_seed: str
) -> dict[str, dict[str, Any]]:
    """Return the results that rest on what is there now, and that the gradebook knows of."""
    source = course.source(assignment)
    instructors = read_source(source)
    with opened(course.db_url()) as gradebook:
        recorded = set(marks(gradebook, assignment))
    found = {}
    for student, path in submissions.items():
        result = read_result(course, assignment, student)
        if result is None or result["state"] == "failed":
            continue
        graded = any(n["state"] == "graded" for n in result["notebooks"])
        if graded and (student not in recorded or not (course.root / "autograded" / student / assignment).is_dir()):
            continue
        if result.get("basis") == current_basis(source, path, instructors, class_seed):
            found[student] = result
    return found


def record(course: Course, graded: Graded) -> dict[str, Any]:
    """Write the notebooks that are graded into autograded/ and the gradebook, then results.json; return the result.

    A notebook that is not graded leaves what the gradebook holds as it is, and its entry tells of that. A submission
    that the gradebook does not take is `failed`. results.json comes last: where it is there, all the rest is too.
    """
    if graded.notebooks:
        try:
            _record_in_gradebook(course, graded)
        except Exception as error:  # whatever it is, the others are recorded all the same
            graded = Graded(failed(graded.result, str(error)))
    write_result(course, graded)
    return graded.result


def write_result(course: Course, graded: Graded) -> None:
    """Write results.json of a submission, with what still stands from before; keep the one that it replaces."""
    result = graded.result
    before = read_result(course, result["assignment"], result["student"])
    folder = course.results(result["assignment"], result["student"])
    if before is not None:
        keep_earlier(result, before)
        if scores_of(before) != scores_of(result):
            write_json(folder / "before.json", before)
    write_json(folder / "results.json", result)


def read_result(course: Course, assignment: str, student: str, name: str = "results.json") -> dict[str, Any] | None:
    """Return a result that was written, or None where there is none that can be read."""
    try:
        result = json.loads((course.results(assignment, student) / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return result if isinstance(result, dict) and "notebooks" in result else None


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

    make_if_missing(course.db_url())
    with temporary.folder() as elsewhere:
        directory, config = course.nbgrader(assignment, ".", release_directory=str(elsewhere))
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
        raise RuntimeError(message) from error
    finally:
        log.removeHandler(told)


class _Kept(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.lines: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.lines.append(record.getMessage())
