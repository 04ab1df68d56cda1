"""Steps that nbgrader_config.py puts into nbgrader: the same code and the same scores as `pt2e-kit grade`."""

import re
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.converters import NbGraderException
from nbgrader.preprocessors import NbGraderPreprocessor
from traitlets import Bool

from common.i18n import _
from pt2e_kit.authoring.digest import stamp
from pt2e_kit.grading.notes import TOLD
from pt2e_kit.grading.outputs import JUDGED
from pt2e_kit.grading.pipeline import Graded, grade_submission
from pt2e_kit.grading.sandbox import NoSandbox
from pt2e_kit.grading.times import configured_zone
from pt2e_kit.notebooks import HIDDEN, exercise_cells, is_graded

_handed_over: dict[tuple[str, str], Graded] = {}


def hand_over(student: str, assignment: str, graded: Graded) -> None:
    """Give nbgrader a submission that is graded already, so that it only has to be recorded."""
    _handed_over[student, assignment] = graded


def take_back(student: str, assignment: str) -> None:
    """Forget what was handed over."""
    _handed_over.pop((student, assignment), None)


def is_anything_handed_over() -> bool:
    """Whether `pt2e-kit grade` is recording right now, in this process."""
    return bool(_handed_over)


class StampSource(NbGraderPreprocessor):
    """First step of a student version: notes the digest of the source that it is made from."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Write the digest into the notebook's metadata."""
        stamp(nb, nb)
        return nb, resources


def release_steps() -> list[type]:
    """nbgrader's own steps for student versions, with ours among them."""
    from nbgrader.converters import GenerateAssignment
    from nbgrader.preprocessors import SaveCells

    from pt2e_kit.gradebook import SaveCellsKeepingMarks

    usual: list[type] = GenerateAssignment.class_traits()["preprocessors"].default()  # type: ignore[attr-defined]
    return [StampSource, *(SaveCellsKeepingMarks if step is SaveCells else step for step in usual)]


def handed_over(student: str, assignment: str) -> Graded | None:
    """Return the submission where it is graded already."""
    return _handed_over.get((student, assignment))


class GradeSubmission(NbGraderPreprocessor):
    """Rebuild, execute and judge: puts the graded notebook in the place of the submitted one."""

    unsafe_no_sandbox = Bool(
        False, help="Where no sandbox works on this machine, run submissions without one (work of people you trust)."
    ).tag(config=True)

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Grade the submission that this notebook belongs to.

        Raises:
            NbGraderException: this notebook cannot be graded; nothing is saved, and the cause is in words.
        """
        names = resources["nbgrader"]
        graded = handed_over(names["student"], names["assignment"]) or self._graded(
            names["student"], names["assignment"]
        )
        name = names["notebook"]
        if name not in graded.notebooks:
            entry = next((n for n in graded.result["notebooks"] if n["name"] == name), {})
            state, cause = entry.get("state", "missing"), entry.get("cause")
            raise NbGraderException(
                _("{name} is not graded: {state}: {cause}").format(name=name, state=state, cause=cause)
            )
        return graded.notebooks[name], resources

    def _graded(self, student: str, assignment: str) -> Graded:
        """Grade a submission once, however many notebooks it has."""
        converter = self._converter()
        known, graded = getattr(converter, "pt2e_kit_last", (None, None))
        if graded is None or known != (student, assignment):
            graded = self._grade(converter.coursedir, student, assignment)
            converter.pt2e_kit_last = (student, assignment), graded
        return graded

    def _grade(self, directory: Any, student: str, assignment: str) -> Graded:
        from pt2e_kit.course import Course
        from pt2e_kit.record import write_result

        source = Path(directory.format_path(directory.source_directory, ".", assignment))
        where = getattr(directory, "pt2e_kit_submitted", directory.submitted_directory)
        submitted = Path(directory.format_path(where, student, assignment))
        course = Course(Path(directory.root))
        kept = course.results(assignment, student) / "kept"
        try:
            graded = grade_submission(
                source,
                submitted,
                assignment=assignment,
                student=student,
                keep=kept,
                zone=configured_zone(self.config),
                unsafe_no_sandbox=self.unsafe_no_sandbox,
            )
        except NoSandbox as error:
            option = _("in nbgrader_config.py: c.GradeSubmission.unsafe_no_sandbox = True")
            raise NbGraderException(f"{error} ({option})") from None
        write_result(course, graded)
        return graded

    def _converter(self) -> Any:
        owner: Any = self
        while not hasattr(owner, "coursedir"):
            owner = owner.parent
            if owner is None:
                raise NbGraderException(_("GradeSubmission runs as a step of nbgrader autograde only"))
        return owner


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
    """For feedback pages: nothing that may show hidden inputs. It must run while the hidden tests are still there."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Shorten the errors of graded cells to their kind, and leave out what repeats hidden tests."""
        hidden = set[str]()
        for cell in nb.cells:
            if is_graded(cell):
                for region in HIDDEN.findall(cell.source):
                    hidden |= _stretches(region)
        for cell in nb.cells:
            if cell.cell_type == "code":
                cell.outputs = [_shown(o, is_graded(cell), hidden) for o in cell.outputs]
                cell.outputs = [o for o in cell.outputs if o is not None]
        return nb, resources


class TellStudent(NbGraderPreprocessor):
    """For feedback pages: what was repaired in the submission, and which limits it reached, at the top."""

    def preprocess(self, nb: NotebookNode, resources: dict[str, Any]) -> tuple[NotebookNode, dict[str, Any]]:
        """Put the messages into a cell of their own, as plain text: they may hold names that a student has given."""
        told = [str(message) for message in nb.metadata.get(TOLD, [])]
        if told:
            head = _("**About what you handed in** (it costs you nothing, unless a check below says so)")
            lines = [head, "", *(f"- {_as_text(message)}" for message in told)]
            nb.cells.insert(0, nbformat.v4.new_markdown_cell("\n".join(lines)))
        return nb, resources


def _as_text(message: str) -> str:
    """A message in which Markdown finds nothing to obey."""
    return re.sub(r"([^\w\s.,;:/-])", r"\\\1", " ".join(message.split()))


STRETCH = 24
"""So many letters and digits in a row that stand in a hidden test are taken for a piece of it."""


def _stretches(text: str) -> set[str]:
    bare = re.sub(r"\x1b\[[0-9;]*m|[\W_]+", "", text)
    return {bare[i : i + STRETCH] for i in range(len(bare) - STRETCH + 1)}


def _shown(output: NotebookNode, graded: bool, hidden: set[str]) -> NotebookNode | None:
    """An output as a student may see it, or None."""
    if output.get("metadata", {}).get(JUDGED):
        return output
    if graded and output.output_type == "error":
        output.evalue, output.traceback = "", [_("{name}: a test failed").format(name=output.ename)]
        return output
    if graded and output.output_type in ("stream", "display_data"):
        return None
    texts = [output.get("text", ""), output.get("data", {}).get("text/plain", ""), *output.get("traceback", [])]
    if hidden and _stretches("\n".join(texts)) & hidden:
        return nbformat.v4.new_output("stream", name="stdout", text=_("[left out: it repeats hidden tests]"))
    return output
