"""The exercises of an assignment: how results.json calls them, and how the gradebook calls their cells."""

from dataclasses import dataclass
from pathlib import Path

from common.exercise import find_exercise
from pt2e_kit.grading.pipeline import read_source
from pt2e_kit.notebooks import exercise_cells, grade_metadata, is_answer, is_graded


@dataclass(frozen=True)
class Listed:
    """One exercise, plain cell or written question."""

    id: str
    """As results.json has it: `m02_2.insert_after`, or the grade id of a plain or written cell."""
    cell: str
    """The gradebook's name of its cell."""
    notebook: str
    kind: str
    """core, practice, prediction, written or plain."""
    points: float

    @property
    def counts(self) -> bool:
        """Whether its points are in the score that the gradebook holds."""
        return self.kind in ("core", "plain", "written")


def listed(source: Path) -> list[Listed]:
    """Return the exercises of an assignment, from its instructor notebooks, in order.

    Raises:
        ValueError: a notebook cannot be read.
    """
    found = []
    for name, notebook in read_source(source).items():
        ours = {cell.grade_id: find_exercise(cell.exercise_id) for cell in exercise_cells(notebook)}
        for cell in notebook.cells:
            if not is_graded(cell):
                continue
            grade_id = grade_metadata(cell)["grade_id"]
            points = float(grade_metadata(cell).get("points") or 0)
            exercise = ours.get(grade_id)
            if exercise is not None:
                found.append(Listed(exercise.id, grade_id, name, exercise.kind, float(exercise.points)))
            else:
                found.append(Listed(grade_id, grade_id, name, "written" if is_answer(cell) else "plain", points))
    return found
