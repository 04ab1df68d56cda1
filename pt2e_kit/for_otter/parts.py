"""What of an instructor notebook becomes tests of otter: exercises, their criteria and points."""

from collections import Counter
from dataclasses import dataclass

from nbformat import NotebookNode

from common.exercise import find_exercise
from pt2e_kit.notebooks import exercise_cells, grade_metadata, is_answer, is_graded

WHOLE = "points"
"""The one case of a plain test cell."""


@dataclass(frozen=True)
class Part:
    """One exercise of the kit, or one plain test cell."""

    id: str
    """As in results: the exercise's id, or the grade id."""
    kind: str
    criteria: dict[str, float]
    """Cases of its test file → points, in order."""
    name: str
    """The name of its test file, which students type: ``otter.Notebook().check("insert_after")``."""


def parts(instructor: NotebookNode) -> list[Part]:
    """Return the exercises and plain test cells of a notebook, in order; written answers are none."""
    ours = {cell.grade_id: find_exercise(cell.exercise_id) for cell in exercise_cells(instructor)}
    found: list[Part] = []
    for cell in instructor.cells:
        if not is_graded(cell) or is_answer(cell):
            continue
        metadata = grade_metadata(cell)
        exercise = ours.get(metadata["grade_id"])
        if exercise is None:
            points = {WHOLE: float(metadata.get("points") or 0)}
            found.append(Part(metadata["grade_id"], "plain", points, metadata["grade_id"]))
        else:
            points = {name: float(p) for name, p in exercise.criteria.items()}
            found.append(Part(exercise.id, exercise.kind, points, exercise.name))
    twice = {name for name, n in Counter(p.name for p in found).items() if n > 1}
    return [p if p.name not in twice else Part(p.id, p.kind, p.criteria, p.id.replace(".", "-")) for p in found]


def scored(instructor: NotebookNode) -> list[Part]:
    """Return the parts whose scores make the score of a submission."""
    return [p for p in parts(instructor) if p.kind in ("core", "plain")]
