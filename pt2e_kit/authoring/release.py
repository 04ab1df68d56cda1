"""Student versions: nbgrader's own generate_assignment, written whole or not at all, and in a fixed form."""

import shutil
import tempfile
from pathlib import Path

import nbformat

from pt2e_kit.authoring.digest import stamp
from pt2e_kit.authoring.fmt import canonical_text
from pt2e_kit.course import Course
from pt2e_kit.record import convert


def release(root: Path, assignment: str) -> list[Path]:
    """Make the student version of an assignment in release/; return its notebooks, relative to the course.

    No gradebook is touched: `pt2e-kit grade` and `nbgrader generate_assignment` tell it about the cells.

    Raises:
        LookupError: there is no such assignment.
        RuntimeError: nbgrader could not make it; the old release is still there.
    """
    from nbgrader.converters import GenerateAssignment

    course = Course(root)
    source = course.source(assignment)
    with tempfile.TemporaryDirectory(prefix="pt2e-") as elsewhere:
        directory, config = course.nbgrader(assignment, ".", release_directory=elsewhere)
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        convert(GenerateAssignment, directory, config)
        made = Path(elsewhere) / assignment
        for path in sorted(made.glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            stamp(notebook, nbformat.read(source / path.name, as_version=4))
            path.write_text(canonical_text(notebook), encoding="utf-8")
        target = root / "release" / assignment
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(made, target)
    return sorted(p.relative_to(root) for p in target.glob("*.ipynb"))
