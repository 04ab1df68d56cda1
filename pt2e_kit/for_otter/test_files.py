"""Test files as otter reads them (not in OK format): one for each exercise, one case for each criterion."""

from collections.abc import Iterable
from pathlib import Path

from pt2e_kit.for_otter.parts import Part

_STUDENT = """\
# {id}: made by `pt2e-kit otter`; do not edit.
from otter.test_files import test_case

from common.exercise.tried import Tried

OK_FORMAT = False
name = {name!r}
tried = Tried({id!r})
"""
_STUDENT_CASE = """

@test_case(name={criterion!r}, points={points!r})
def case_{number}():
    tried.criterion({criterion!r})
"""
_GRADER = """\
# {id}: made by `pt2e-kit otter`; do not edit.
from otter.test_files import test_case

OK_FORMAT = False
name = {name!r}
"""
_GRADER_CASE = """

@test_case(name={criterion!r}, points={points!r})
def case_{number}():
    raise AssertionError("not judged: pt2e_kit.for_otter.plugin.KitPlugin did not run, and nobody else gives points")
"""


def write_for_students(parts: Iterable[Part], folder: Path) -> list[Path]:
    """Write the tests that students have: public cases, findings in words. Plain cells have none: they are hidden."""
    chosen = [p for p in parts if p.kind != "plain"]
    return [_write(p, folder, _STUDENT, _STUDENT_CASE) for p in chosen]


def write_for_grading(parts: Iterable[Part], folder: Path) -> list[Path]:
    """Write the tests of the autograder: names and points only. By themselves they give no points (fail closed)."""
    return [_write(p, folder, _GRADER, _GRADER_CASE) for p in parts]


def _write(part: Part, folder: Path, head: str, case: str) -> Path:
    # A prediction has no points; with 0 otter would say that all is well where it is wrong.
    least = 1.0 if head is _STUDENT else 0.0
    text = head.format(id=part.id, name=part.name)
    for number, (criterion, points) in enumerate(part.criteria.items(), 1):
        text += case.format(criterion=criterion, points=max(points, least), number=number)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{part.name}.py"
    path.write_text(text, encoding="utf-8")
    return path
