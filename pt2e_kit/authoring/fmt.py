"""The fixed form of instructor notebooks, so that a change shows as what it is and nothing else."""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from common.exercise import UnknownExercise, find_exercise
from common.i18n import _
from pt2e_kit.notebooks import KERNELSPEC, ExerciseCell, exercise_cells, grade_metadata, is_answer


def canonical_text(notebook: NotebookNode) -> str:
    """Return the file of a notebook as JupyterLab saves it: each line of a source on its own, keys sorted.

    So a change of one line of a cell is a change of one line in the file.
    """
    return nbformat.writes(notebook, version=nbformat.NO_CONVERT) + "\n"


def formatted(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook in its fixed form: no outputs or counts, readable ids, points as the exercises say.

    Raises:
        ValueError: two cells want the same id, or a test cell names an exercise that does not exist.
    """
    ours = {cell.index: cell for cell in exercise_cells(notebook)}
    cells: list[NotebookNode] = []
    seen: set[str] = set()
    for index, cell in enumerate(notebook.cells):
        new = _new_cell(cell, ours.get(index))
        new.id = _cell_id(cell, seen)
        seen.add(new.id)
        cells.append(new)
    metadata = NotebookNode(kernelspec=dict(KERNELSPEC), language_info={"name": "python"})
    made = nbformat.v4.new_notebook(cells=cells, metadata=metadata)
    nbformat.validate(made)
    return made


def _new_cell(cell: NotebookNode, exercise_cell: ExerciseCell | None) -> NotebookNode:
    make = {"code": nbformat.v4.new_code_cell, "raw": nbformat.v4.new_raw_cell}
    new = make.get(cell.cell_type, nbformat.v4.new_markdown_cell)(cell.source.strip("\n"))
    if cell.get("attachments"):
        new.attachments = cell.attachments  # pictures that were pasted into a text
    graded = dict(grade_metadata(cell))
    if graded:
        graded |= {"schema_version": 3, "task": bool(graded.get("task")), "cell_type": cell.cell_type}
        if exercise_cell is not None:
            graded |= {"points": _points(exercise_cell), "grade": True, "solution": False, "locked": True}
        elif is_answer(cell):
            graded["locked"] = False
        graded.pop("checksum", None)
        new.metadata["nbgrader"] = graded
    return new


def _points(cell: ExerciseCell) -> int:
    """Points in nbgrader: core exercises count, practice and predictions do not."""
    try:
        exercise = find_exercise(cell.exercise_id)
    except UnknownExercise as error:
        raise ValueError(_("cell {id}: {e}").format(id=cell.grade_id, e=error)) from None
    return exercise.points if exercise.kind == "core" else 0


def _cell_id(cell: NotebookNode, seen: set[str]) -> str:
    grade_id = grade_metadata(cell).get("grade_id")
    if grade_id:
        if grade_id in seen:
            raise ValueError(_("two cells have the id {id}").format(id=grade_id))
        return grade_id
    old = cell.get("id", "")
    readable = re.fullmatch(r"[a-z0-9_-]{3,64}", old) and not re.fullmatch(r"[0-9a-f]{8}|cell-\d+", old)
    base = old if readable else _slug(cell.source) or cell.cell_type
    chosen, number = base, 2
    while chosen in seen:
        chosen, number = f"{base}-{number}", number + 1
    return chosen


def _slug(source: str) -> str:
    """The first words of a cell as an id."""
    words = re.findall(r"[a-z0-9]+", source.casefold())[:5]
    return "-".join(words)[:60]


def format_files(paths: list[Path], *, write: bool) -> list[Path]:
    """Return the notebooks that are not in the fixed form, and bring them into it where `write` is set.

    Raises:
        ValueError: a file is no notebook, or cannot be brought into the fixed form; it is left as it is.
    """
    changed = []
    for path in paths:
        try:
            text = path.read_text(encoding="utf-8")
            wanted = canonical_text(formatted(nbformat.reads(text, as_version=4)))
        except (ValueError, LookupError, TypeError, AttributeError, nbformat.ValidationError) as error:
            raise ValueError(f"{path}: {error}") from None
        if text != wanted:
            changed.append(path)
            if write:
                path.write_text(wanted, encoding="utf-8")
    return changed


def source_notebooks(root: Path) -> list[Path]:
    """All instructor notebooks of a course, sorted."""
    return sorted(p for p in (root / "source").glob("*/*.ipynb") if not p.name.startswith("."))
