"""Let nbgrader's Autograde read submissions as `pt2e-kit grade` does: leniently, and without following anything.

Stock Autograde copies every file of a submission into autograded/ and from there into feedback/, links included, so
that a link to source/ would be handed back with its content; it passes over renamed and damaged notebooks; and one
bad notebook takes the others of its submission with it. Here it gets a folder that holds an empty notebook for each of
ours, and GradeSubmission puts the graded one in its place.
"""

import contextlib
import glob
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbgrader.converters import Autograde, NbGraderException

from pt2e_kit.grading.times import submitted_at
from pt2e_kit.nbgrader_steps import GradeSubmission, handed_over


def install() -> None:
    """Put this in the place of Autograde's methods; it acts only where GradeSubmission is among the steps."""
    if getattr(Autograde, "_pt2e_kit_installed", False):
        return
    start, convert_one = Autograde.start, Autograde.convert_single_notebook

    def our_start(self: Any) -> None:
        if GradeSubmission not in self.autograde_preprocessors:
            return start(self)
        self.pt2e_kit_failed = {}
        try:
            with _staged(self.coursedir):
                start(self)
        finally:
            for folder in {Path(place).parent for place in self.pt2e_kit_failed}:
                if not list(folder.glob("*.ipynb")):
                    shutil.rmtree(folder, ignore_errors=True)  # else nbgrader takes it for graded, and skips it
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

    replaced = {"start": our_start, "convert_single_notebook": our_convert_one, "_pt2e_kit_installed": True}
    for name, value in replaced.items():
        setattr(Autograde, name, value)


@contextlib.contextmanager
def _staged(directory: Any) -> Iterator[None]:
    """Point the course directory to staged submissions, and note where the true ones are."""
    original = directory.submitted_directory
    with tempfile.TemporaryDirectory(prefix="pt2e-") as staged:
        for student, folder in _submissions(directory).items():
            _stage(directory, student, folder, Path(staged))
        directory.pt2e_kit_submitted = original
        directory.submitted_directory = staged
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
    moment, _notes = submitted_at(folder)
    if moment:
        (target / "timestamp.txt").write_text(moment, encoding="utf-8")
