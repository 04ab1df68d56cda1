"""Let nbgrader's Autograde read submissions as `pt2e-kit grade` does: leniently, and without following anything.

Stock Autograde copies every file of a submission into autograded/ and from there into feedback/, links included, so
that a link to source/ would be handed back with its content; it passes over renamed and damaged notebooks; and one
bad notebook takes the others of its submission with it. Here it gets a folder that holds an empty notebook for each of
ours, and GradeSubmission puts the graded one in its place.
"""

import contextlib
import glob
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.converters import Autograde, NbGraderException

from pt2e_kit.gradebook import forget_empty_submission, knows, make_if_missing
from pt2e_kit.grading import temporary
from pt2e_kit.grading.collect import read_plain_file
from pt2e_kit.grading.times import configured_zone, submitted_at
from pt2e_kit.lock import only_grader
from pt2e_kit.nbgrader_steps import GradeSubmission, handed_over, is_anything_handed_over

SECRET = "submission_secret.txt"


def install() -> None:
    """Put this in the place of Autograde's methods; it acts only where GradeSubmission is among the steps."""
    if getattr(Autograde, "_pt2e_kit_installed", False):
        return
    start, convert_one = Autograde.start, Autograde.convert_single_notebook
    init_destination = Autograde.init_destination

    def our_start(self: Any) -> None:
        if GradeSubmission not in self.autograde_preprocessors:
            return start(self)
        self.pt2e_kit_failed = {}
        make_if_missing(self.coursedir.db_url)
        with contextlib.ExitStack() as stack:
            stack.callback(_clean_up, self)
            if not is_anything_handed_over():  # else `pt2e-kit grade` holds the lock, and calls us
                stack.enter_context(only_grader(Path(self.coursedir.root, "results"), "nbgrader autograde"))
                _make_known(self.coursedir)
            stack.enter_context(_staged(self.coursedir))
            start(self)
        if self.pt2e_kit_failed:
            raise NbGraderException("\n".join(self.pt2e_kit_failed.values()))

    def our_convert_one(self: Any, notebook_filename: str) -> None:
        if GradeSubmission not in self.autograde_preprocessors:
            return convert_one(self, notebook_filename)
        names = self.init_single_notebook_resources(notebook_filename)["nbgrader"]
        graded = handed_over(names["student"], names["assignment"])
        if graded is not None and names["notebook"] not in graded.notebooks:
            return  # known, and told by who handed it over; what the gradebook holds stays as it is
        try:
            convert_one(self, notebook_filename)
        except NbGraderException as error:
            # What stands there now is the empty notebook, not a graded one.
            place = Path(self.writer.build_directory, Path(notebook_filename).name)
            place.unlink(missing_ok=True)
            self.pt2e_kit_failed[str(place)] = f"{names['student']}: {error}"
            self.log.error("%s: %s", names["student"], error)

    def our_destination(self: Any, assignment_id: str, student_id: str) -> bool:
        if GradeSubmission not in self.autograde_preprocessors or self.force:
            return init_destination(self, assignment_id, student_id)
        # nbgrader goes by the time stamp alone; what was handed in anew without one is known by its content.
        self.force = _is_handed_in_anew(self.coursedir, assignment_id, student_id)
        try:
            return init_destination(self, assignment_id, student_id)
        finally:
            self.force = False

    replaced = {
        "init_destination": our_destination,
        "start": our_start,
        "convert_single_notebook": our_convert_one,
        "_pt2e_kit_installed": True,
    }
    for name, value in replaced.items():
        setattr(Autograde, name, value)


def _make_known(directory: Any) -> None:
    """Let the gradebook know an assignment that it has never seen: student versions are made without it too."""
    from pt2e_kit.course import Course
    from pt2e_kit.record import prepare_gradebook

    if not knows(directory.db_url, directory.assignment_id):
        prepare_gradebook(Course(Path(directory.root)), directory.assignment_id)


def _clean_up(converter: Any) -> None:
    """Leave nothing that nbgrader would take for a graded submission, or for a score of 0."""
    for folder in {Path(place).parent for place in converter.pt2e_kit_failed}:
        if not list(folder.glob("*.ipynb")):
            shutil.rmtree(folder, ignore_errors=True)
            student, assignment = folder.parent.name, folder.name
            forget_empty_submission(converter.coursedir.db_url, assignment, student)


def _is_handed_in_anew(directory: Any, assignment: str, student: str) -> bool:
    from pt2e_kit.course import Course
    from pt2e_kit.grading.basis import of_submission
    from pt2e_kit.record import read_result

    result = read_result(Course(Path(directory.root)), assignment, student)
    folder = Path(directory.format_path(directory.pt2e_kit_submitted, student, assignment))
    return result is not None and result["basis"]["submission"] != of_submission(folder)


@contextlib.contextmanager
def _staged(directory: Any) -> Iterator[None]:
    """Point the course directory to staged submissions, and note where the true ones are."""
    original = directory.submitted_directory
    with temporary.folder() as staged:
        for student, folder in _submissions(directory).items():
            _stage(directory, student, folder, staged)
        directory.pt2e_kit_submitted = original
        directory.submitted_directory = str(staged)
        try:
            yield
        finally:
            directory.submitted_directory = original
            del directory.pt2e_kit_submitted


def _submissions(directory: Any) -> dict[str, Path]:
    """Student → folder, for the assignment and the students that nbgrader was asked for. Links are not followed."""
    where = directory.submitted_directory
    pattern = re.compile(directory.format_path(where, "(?P<student>.*)", re.escape(directory.assignment_id), True))
    found = {}
    wanted = directory.format_path(where, directory.student_id, directory.assignment_id)
    for name in sorted(glob.glob(wanted)):  # noqa: PTH207  (absolute, and just as nbgrader looks for them)
        folder, match = Path(name), pattern.fullmatch(name)
        if match and folder.is_dir() and not folder.is_symlink() and not folder.parent.is_symlink():
            found[match["student"]] = folder
    return found


def _stage(directory: Any, student: str, folder: Path, staged: Path) -> None:
    target = Path(directory.format_path(str(staged), student, directory.assignment_id))
    target.mkdir(parents=True)
    source = Path(directory.format_path(directory.source_directory, ".", directory.assignment_id))
    for path in source.glob("*.ipynb"):
        nbformat.write(nbformat.v4.new_notebook(), target / path.name)
    moment, _notes = submitted_at(folder, configured_zone(directory.config))
    if moment:
        (target / "timestamp.txt").write_text(moment, encoding="utf-8")
    (target / SECRET).write_text(_secret(folder), encoding="ascii")


def _secret(folder: Path) -> str:
    """The word by which nbgrader's exchange knows whose feedback is whose. Without one `release_feedback` would stop
    for the whole class, so who has none gets one that nobody knows."""
    try:
        word = read_plain_file(folder / SECRET, 1000).decode("ascii").strip()
    except (OSError, ValueError):
        word = ""
    return word if re.fullmatch(r"[0-9a-f]{32,256}", word) else secrets.token_hex(64)
