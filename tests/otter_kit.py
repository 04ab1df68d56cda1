"""What the tests of the road to otter share: one zip of lesson m02_2, unpacked as a container has it."""

import json
import shutil
import zipfile
from functools import cache
from pathlib import Path
from typing import Any

from commands import ROOT
from grading_kit import CLASS_SEED

from pt2e_kit.course import Course
from pt2e_kit.for_otter.bundle import Bundle
from pt2e_kit.for_otter.make import STUDENT, ZIP, make
from pt2e_kit.grading import temporary

ASSIGNMENT, LESSON = "m02_by_hand", "m02_2_observers_by_hand"
CLASS = ROOT / "demo" / "submitted"


@cache
def made() -> Path:
    """What `pt2e-kit otter` writes for lesson m02_2; made once."""
    folder = temporary.new_folder()
    list(make(Course(ROOT), ASSIGNMENT, folder, class_seed=CLASS_SEED, unsafe_no_sandbox=True))
    return folder / LESSON


def autograder() -> Path:
    """The zip."""
    return made() / ZIP


def student(to: Path, name: str) -> Path:
    """A student's folder: what was handed out, with the notebook of somebody in the demo class; returns the notebook."""
    shutil.copytree(made() / STUDENT, to)
    return Path(shutil.copy(demo_notebook(name), to))


def demo_notebook(name: str) -> Path:
    """The file that somebody of the demo class has handed in."""
    (path,) = (CLASS / name / ASSIGNMENT).glob("*.ipynb")
    return path


def unpacked(to: Path, handed_in: dict[str, bytes], metadata: dict[str, Any] | None = None) -> Path:
    """The folder /autograder of a container, with a submission in it; returns it."""
    for name in ("source", "submission", "results"):
        (to / name).mkdir(parents=True)
    with zipfile.ZipFile(autograder()) as archive:
        archive.extractall(to / "source")
    shutil.copy(to / "source" / "run_autograder", to)
    for name, data in handed_in.items():
        (to / "submission" / name).write_bytes(data)
    (to / "submission_metadata.json").write_text(json.dumps(metadata) if metadata is not None else "")
    return to


def bundle(place: Path) -> Bundle:
    """What the zip carries, in such a folder."""
    return Bundle(place / "source")
