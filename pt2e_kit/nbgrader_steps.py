"""Steps that nbgrader_config.py puts into nbgrader: the same code and the same scores as `pt2e-kit grade`."""

from pathlib import Path
from typing import Any

from nbconvert.exporters import NotebookExporter
from nbformat import NotebookNode
from nbgrader.converters import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor

from common.i18n import _
from pt2e_kit.authoring.digest import stamp
from pt2e_kit.grading.outputs import JUDGED
from pt2e_kit.grading.pipeline import Graded, grade_submission
from pt2e_kit.notebooks import Unreadable, exercise_cells, read_notebook

_handed_over: dict[tuple[str, str], Graded] = {}


def hand_over(student: str, assignment: str, graded: Graded) -> None:
    """Give nbgrader a submission that is graded already, so that it only has to be recorded."""
    _handed_over[student, assignment] = graded


def take_back(student: str, assignment: str) -> None:
    """Forget what was handed over."""
    _handed_over.pop((student, assignment), None)


class StampSource(NbGraderPreprocessor):
    """First step of a student version: notes the digest of the source that it is made from."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the digest into the notebook's metadata."""
        stamp(nb, nb)
        return nb, resources


class SubmittedNotebookExporter(NotebookExporter):
    """Reads a submitted notebook from bytes in any encoding and of any known version."""

    def from_filename(self, filename: str, resources: Any = None, **kw: Any) -> tuple[Any, dict[str, Any]]:
        """Convert the notebook in a file; see nbconvert's Exporter."""
        try:
            notebook = read_notebook(Path(filename).read_bytes())
        except Unreadable as error:
            raise NbGraderException(f"{filename}: {error}") from None
        return self.from_notebook_node(notebook, resources=resources, **kw)


class GradeSubmission(NbGraderPreprocessor):
    """Rebuild, execute and judge: puts the graded notebook in the place of the submitted one."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Grade the submission that this notebook belongs to.

        Raises:
            NbGraderException: this notebook cannot be graded; nothing is saved, and the cause is in words.
        """
        names = resources["nbgrader"]
        key = (names["student"], names["assignment"])
        graded = _handed_over.get(key) or self._grade(*key)
        name = names["notebook"]
        if name not in graded.notebooks:
            entry = next((n for n in graded.result["notebooks"] if n["name"] == name), {})
            state, cause = entry.get("state", "missing"), entry.get("cause")
            raise NbGraderException(
                _("{name} is not graded: {state}: {cause}").format(name=name, state=state, cause=cause)
            )
        return graded.notebooks[name], resources

    def _grade(self, student: str, assignment: str) -> Graded:
        from pt2e_kit.course import Course
        from pt2e_kit.record import write_result

        directory = self._course_directory()
        source = Path(directory.format_path(directory.source_directory, ".", assignment))
        submitted = Path(directory.format_path(directory.submitted_directory, student, assignment))
        course = Course(Path(directory.root))
        evidence = course.results(assignment, student) / "evidence"
        graded = grade_submission(source, submitted, assignment=assignment, student=student, keep_evidence=evidence)
        write_result(course, graded)
        return graded

    def _course_directory(self) -> Any:
        owner: Any = self
        while not hasattr(owner, "coursedir"):
            owner = owner.parent
            if owner is None:
                raise NbGraderException(_("GradeSubmission runs as a step of nbgrader autograde only"))
        return owner.coursedir


class RefuseUnjudged(NbGraderPreprocessor):
    """Fail closed: an exercise that no judge has looked at must not get a score."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Look at the test cells of the kit's exercises.

        Raises:
            NbGraderException: one of them was not judged.
        """
        for cell in exercise_cells(nb):
            outputs = nb.cells[cell.index].get("outputs", [])
            judged = any(o.get("metadata", {}).get(JUDGED) for o in outputs)
            if not judged or any(o.get("ename") == "NotJudged" for o in outputs):
                text = _("{id} was not judged; no score is saved (is GradeSubmission in nbgrader_config.py?)")
                raise NbGraderException(text.format(id=cell.exercise_id))
        return nb, resources


class HideDetails(NbGraderPreprocessor):
    """For feedback pages: no tracebacks of test cells, which may show hidden inputs."""

    def preprocess_cell(self, cell: NotebookNode, resources: dict[str, Any], index: int) -> tuple[NotebookNode, Any]:
        """Shorten the errors of graded cells to their kind."""
        if cell.cell_type == "code" and cell.metadata.get("nbgrader", {}).get("grade"):
            for output in cell.get("outputs", []):
                if output.output_type == "error":
                    output.evalue, output.traceback = "", [_("{name}: a test failed").format(name=output.ename)]
            streams = [o for o in cell.get("outputs", []) if o.output_type == "stream"]
            cell.outputs = [o for o in cell.get("outputs", []) if o not in streams]
        return cell, resources
