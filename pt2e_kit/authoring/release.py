"""Student versions: nbgrader's own generate_assignment, written whole or not at all, and in a fixed form."""

import shutil
from pathlib import Path

import nbformat

from pt2e_kit.authoring.digest import stamp
from pt2e_kit.authoring.fmt import canonical_text
from pt2e_kit.course import Course
from pt2e_kit.grading import temporary
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
    with temporary.folder() as elsewhere:
        directory, config = course.nbgrader(assignment, ".", release_directory=str(elsewhere))
        config.GenerateAssignment.no_database = True
        config.SaveCells.enabled = False
        convert(GenerateAssignment, directory, config)
        made = elsewhere / assignment
        for path in sorted(made.glob("*.ipynb")):
            notebook = nbformat.read(path, as_version=4)
            stamp(notebook, nbformat.read(source / path.name, as_version=4))
            path.write_text(canonical_text(notebook), encoding="utf-8")
        target = root / "release" / assignment
        new, old = (target.with_name(f".{assignment}.{word}") for word in ("new", "old"))
        for leftover in (new, old):
            shutil.rmtree(leftover, ignore_errors=True)
        shutil.copytree(made, new)
        if target.exists():
            target.rename(old)  # until the new one is in its place, nothing of it is gone
        new.rename(target)
        shutil.rmtree(old, ignore_errors=True)
    return sorted(p.relative_to(root) for p in target.glob("*.ipynb"))
