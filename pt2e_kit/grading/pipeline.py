"""From a submission's bytes to its result: a pure function, without course and database.

`grade_submission` may run on any `concurrent.futures.Executor`: its arguments and its result can be pickled, and
nothing is shared between two submissions but the judge's process.
"""

import contextlib
import threading
import time
import traceback
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import Any

from nbformat import NotebookNode

from common.env import versions
from common.exercise import find_exercise
from common.i18n import _
from pt2e_kit.grading import basis, results, warm
from pt2e_kit.grading.beside import look_beside
from pt2e_kit.grading.collect import collect
from pt2e_kit.grading.kept import NothingKept
from pt2e_kit.grading.notebook import How, grade_notebook
from pt2e_kit.grading.notes import CannotGrade, Note, printable
from pt2e_kit.grading.plan import libraries
from pt2e_kit.grading.sandbox import NoSandbox, bubblewrap
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
    keep: Path | None = None,
    rejudge: bool = False,
    zone: tzinfo | None = None,
    unsafe_no_sandbox: bool = False,
) -> Graded:
    """Grade what one student handed in.

    Args:
        source: the folder of the assignment's instructor notebooks and helper files.
        submission: the folder that was handed in. It is only read.
        assignment, student: names in the result; the folders' names where they are not given.
        class_seed: the secret from which hidden cases get their seeds; the default seed file where it is not given.
        keep: a folder in which runs are kept, one subfolder for each notebook (see `pt2e_kit.grading.kept`).
        rejudge: judge the runs in `keep` again; nothing is run.
        zone: of time stamps that name none, where the course has named one (`times.configured_zone`).
        unsafe_no_sandbox: where no sandbox works on this machine, run strangers' code without one.

    Returns:
        The result (see docs/results.schema.json) and the graded notebooks. A submission that cannot be graded has a
        state and a cause; only a faulty `source` raises.

    Raises:
        ValueError: the source folder holds no notebook, or one that cannot be read.
        NoSandbox: no sandbox works on this machine, and nobody has said to go without.
        NothingKept: something was to be judged again of which no run is kept.
    """
    began = time.monotonic()
    student = student or submission.name
    class_seed = class_seed or read_class_seed()
    instructors = read_source(source)
    moment, notes = submitted_at(submission, zone)
    isolated = bubblewrap() is not None
    if not isolated and not rejudge:
        if not unsafe_no_sandbox:
            raise NoSandbox
        notes.append(Note("environment", _("graded without a sandbox, as was asked for")))
    how = How(
        source=source,
        libraries=libraries(list(instructors.values()), source),
        student=student,
        class_seed=class_seed,
        limits=limits,
        keep=keep,
        rejudge=rejudge,
        isolated=isolated,
    )
    graded = Graded({})
    entries = []
    beside = look_beside(source, submission)
    notes += beside.notes
    for found in collect(submission, instructors, limits.notebook_bytes):
        notes += found.notes
        try:
            notebook, exercises = grade_notebook(found, instructors[found.name], how, notes)
            graded.notebooks[found.name] = notebook
            notes += beside.missed_in(notebook)
            entries.append(results.notebook_entry(found.name, "graded", None, exercises))
        except NothingKept:
            raise
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
        max_score=sum(_max_score(notebook) for notebook in instructors.values()),
        notes=notes,
        basis=current_basis(source, submission, instructors, class_seed),
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


def warm_up(source: Path) -> None:
    """Start the warm process for an assignment in the background: it imports for seconds, and there is else to do.

    Whatever is wrong with the assignment or the machine is told when a submission is graded.
    """

    def start() -> None:
        with contextlib.suppress(Exception):
            names = libraries(list(read_source(source).values()), source)
            warm.start(source, names, isolated=bubblewrap() is not None)

    threading.Thread(target=start, daemon=True).start()


def current_basis(
    source: Path, submission: Path, instructors: dict[str, NotebookNode], class_seed: str
) -> dict[str, str]:
    """Return the digests of what a result of this submission would rest on now."""
    exercises = {e.exercise_id for notebook in instructors.values() for e in exercise_cells(notebook)}
    return {
        "submission": basis.of_submission(submission),
        "source": basis.of_source(source, map(find_exercise, exercises)),
        "seed": basis.of_seed(class_seed),
    }


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
