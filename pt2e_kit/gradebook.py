"""nbgrader's gradebook: made whole or not at all, kept in step with source/, and read for what people wrote into it."""

import contextlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import (
    Comment,
    Gradebook,
    GradeCell,
    MissingEntry,
    SolutionCell,
    SourceCell,
    TaskCell,
)
from nbgrader.preprocessors import SaveCells

from common.i18n import _
from pt2e_kit.course import put_own_programs_on_path

REMOVED_MARKS = "removed-marks.jsonl"
"""In results/: marks and comments that people gave to cells that an instructor has removed since."""


def make_if_missing(db_url: str) -> None:
    """Make a new SQLite gradebook under another name and put it in its place: half of one stops nbgrader for good."""
    path = _sqlite_file(db_url)
    if path is None or path.exists():
        return
    put_own_programs_on_path()
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    Gradebook(f"sqlite:///{part}").close()
    part.rename(path)


def _sqlite_file(db_url: str) -> Path | None:
    kind, _colon, path = db_url.partition(":///")
    return Path(path) if kind == "sqlite" and path else None


@contextmanager
def opened(db_url: str) -> Iterator[Gradebook]:
    """The gradebook, closed afterwards."""
    put_own_programs_on_path()
    gradebook = Gradebook(db_url)
    try:
        yield gradebook
    finally:
        gradebook.close()


def knows(db_url: str, assignment: str) -> bool:
    """Whether the gradebook holds an assignment."""
    with opened(db_url) as gradebook, contextlib.suppress(MissingEntry):
        gradebook.find_assignment(assignment)
        return True
    return False


@dataclass(frozen=True)
class Marks:
    """What the gradebook holds for one student."""

    score: float
    max_score: float
    by_hand: list[dict[str, Any]]
    """Marks given by hand: ``{"cell", "mark", "automatic"}``; automatic is None for written answers."""
    waiting: list[str]
    """Cells that wait for somebody to mark them."""
    cells: list[dict[str, Any]] = field(default_factory=list)
    """All graded cells: ``{"notebook", "cell", "score", "max_score"}``; score is 0 where there is none yet."""


def marks(gradebook: Gradebook, assignment: str) -> dict[str, Marks]:
    """Return what the gradebook holds for an assignment, by student; nothing for one that it does not know."""
    found: dict[str, Marks] = {}
    try:
        submissions = gradebook.assignment_submissions(assignment)
    except MissingEntry:
        return found
    for submission in submissions:
        by_hand, waiting, cells = [], [], []
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                points = {"score": float(grade.score or 0), "max_score": float(grade.max_score or 0)}
                cells.append({"notebook": notebook.name, "cell": grade.name, **points})
                if grade.manual_score is not None:
                    mark = {"cell": grade.name, "mark": grade.manual_score, "automatic": grade.auto_score}
                    by_hand.append(mark)
                elif grade.needs_manual_grade:
                    waiting.append(grade.name)
        score, most = float(submission.score or 0), float(submission.max_score or 0)  # type: ignore[arg-type]
        found[submission.student.id] = Marks(score, most, by_hand, waiting, cells)
    return found


def people(gradebook: Gradebook) -> dict[str, dict[str, str]]:
    """Return student → first_name, last_name and email, as far as somebody has entered them."""
    fields = ("first_name", "last_name", "email")
    return {str(s.id): {name: getattr(s, name) or "" for name in fields} for s in gradebook.students}


def forget_empty_submission(db_url: str, assignment: str, student: str) -> None:
    """Remove a submission that nbgrader has entered, but for which nothing was ever graded or marked."""
    with opened(db_url) as gradebook:
        try:
            submission = gradebook.find_submission(assignment, student)
        except MissingEntry:
            return
        grades = [grade for notebook in submission.notebooks for grade in notebook.grades]
        if all(grade.auto_score is None and grade.manual_score is None for grade in grades):
            gradebook.remove_submission(assignment, student)


class SaveCellsKeepingMarks(SaveCells):
    """nbgrader's step that enters an assignment's cells, for an instructor who edits after work was handed in.

    nbgrader refuses cells that come or go once there are submissions. Here they do, all marks of the other cells stay,
    and marks that people gave to cells that go are written to results/removed-marks.jsonl.
    """

    def _create_notebook(self, nb: Any) -> None:
        try:
            notebook = self.gradebook.find_notebook(self.notebook_id, self.assignment_id)
        except MissingEntry:
            notebook = None
        if notebook is not None and notebook.submissions:
            self._follow(notebook)
        super()._create_notebook(nb)

    def _follow(self, notebook: Any) -> None:
        """Remove the cells that are gone, and enter new ones for all submissions that are there already."""
        db = self.gradebook.db
        for kind, new in (
            (GradeCell, self.new_grade_cells),
            (SolutionCell, self.new_solution_cells),
            (TaskCell, self.new_task_cells),
            (SourceCell, self.new_source_cells),
        ):
            of_kind = {GradeCell: "grade", SolutionCell: "solution", TaskCell: "task", SourceCell: "source"}[kind]
            there = {cell.name: cell for cell in getattr(notebook, f"{of_kind}_cells")}
            for name in sorted(there.keys() - new.keys()):
                self._remove(there[name])
            for name in sorted(new.keys() - there.keys()):
                cell = kind(name=name, notebook=notebook, **new[name])
                db.add(cell)
                db.flush()
                if kind is not SourceCell:
                    self._enter(notebook, cell, grade=kind is not SolutionCell, comment=kind is not GradeCell)
        db.commit()

    def _remove(self, cell: Any) -> None:
        lines = []
        for grade in list(getattr(cell, "grades", ())):
            if grade.manual_score is not None:
                lines.append({"student": grade.student.id, "cell": cell.name, "mark": grade.manual_score})
            self.gradebook.db.delete(grade)
        for comment in list(getattr(cell, "comments", ())):
            if comment.manual_comment:
                lines.append({"student": comment.student.id, "cell": cell.name, "comment": comment.manual_comment})
            self.gradebook.db.delete(comment)
        if lines:
            path = _root(self) / "results" / REMOVED_MARKS
            path.parent.mkdir(exist_ok=True)
            with path.open("a", encoding="utf-8") as file:
                for line in lines:
                    file.write(json.dumps({"assignment": self.assignment_id} | line) + "\n")
            text = _("cell %s is gone from source/; marks given to it by hand were written to %s")
            self.log.warning(text, cell.name, path)
        self.gradebook.db.delete(cell)

    def _enter(self, notebook: Any, cell: Any, *, grade: bool, comment: bool) -> None:
        from nbgrader.api import Grade

        for submitted in notebook.submissions:
            if grade:
                self.gradebook.db.add(Grade(cell_id=cell.id, notebook=submitted))
            if comment:
                self.gradebook.db.add(Comment(cell_id=cell.id, notebook=submitted))


def _root(step: Any) -> Path:
    owner = step
    while owner is not None and not hasattr(owner, "coursedir"):
        owner = owner.parent
    return Path(owner.coursedir.root) if owner is not None else Path()
