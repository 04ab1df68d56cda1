"""`pt2e-kit otter`: for each notebook of an assignment a folder for students and an autograder zip."""

import contextlib
import hashlib
import json
import shutil
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nbformat import NotebookNode

import common
import pt2e_kit
from common.exercise import find_exercise
from common.i18n import _
from common.lessons import find_lesson
from pt2e_kit.course import Course
from pt2e_kit.for_otter.bundle import FOLDER, PLUGIN, Bundle
from pt2e_kit.for_otter.parts import parts, scored
from pt2e_kit.for_otter.pins import pins
from pt2e_kit.for_otter.test_files import write_for_grading, write_for_students
from pt2e_kit.grading import temporary
from pt2e_kit.grading.pipeline import read_source
from pt2e_kit.grading.sandbox import copy_helpers
from pt2e_kit.notebooks import exercise_cells

LOCK = Path(pt2e_kit.__file__).resolve().parent.parent / "requirements.lock"
BACKENDS_LOCK = LOCK.with_name("requirements-backends.lock")
BACKENDS = {"executorch", "onnx", "onnxscript", "onnxruntime"}
TEMPLATES = Path(__file__).parent / "templates"
AUTOGRADER = "/autograder"
UV = "0.13.9"
SYSTEM = "bubblewrap g++ graphviz"
"""Debian packages of a container; lessons that compile need g++."""
NOT_CARRIED = shutil.ignore_patterns("__pycache__", "*.pyc", ".*")
STUDENT, ZIP = "student", "autograder.zip"


@dataclass(frozen=True)
class Made:
    """What was written for one notebook; None where there is nothing to write."""

    notebook: str
    student: Path | None
    autograder: Path | None


def make(
    course: Course, assignment: str, to: Path, *, class_seed: str, unsafe_no_sandbox: bool = False
) -> Iterator[Made]:
    """Write `<to>/<notebook>/student/` and `<to>/<notebook>/autograder.zip` for each notebook of an assignment.

    The folder for students holds the student version from release/ and `tests/`. otter's assignments are one
    notebook each, and so are ours here. A notebook in which nothing is graded automatically has no zip.

    Args:
        class_seed: the seed of the hidden cases is derived from it, one for each zip.
        unsafe_no_sandbox: whether `otter run` may run submissions where there is no sandbox. In a container they
            always are: the container is the boundary.

    Raises:
        LookupError: there is no such assignment.
        FileNotFoundError: there is no student version, or no lock.
    """
    source = course.source(assignment)
    for name, instructor in read_source(source).items():
        released = course.root / "release" / assignment / f"{name}.ipynb"
        if not released.is_file():
            text = _("there is no student version {path}; make it with: pt2e-kit release {name}")
            raise FileNotFoundError(text.format(path=released, name=assignment))
        folder = to / name
        shutil.rmtree(folder / STUDENT, ignore_errors=True)
        student = None
        if write_for_students(parts(instructor), folder / STUDENT / "tests"):
            student = folder / STUDENT
            shutil.copyfile(released, student / released.name)
            copy_helpers(released.parent, student)
        autograder = None
        if sum(sum(p.criteria.values()) for p in scored(instructor)):
            autograder = folder / ZIP
            _make_zip(autograder, source, name, instructor, class_seed, unsafe_no_sandbox)
        yield Made(name, student, autograder)


def _needs_backends(instructor: NotebookNode) -> bool:
    lessons = {find_exercise(cell.exercise_id).lesson for cell in exercise_cells(instructor)}
    return any(BACKENDS & set(find_lesson(lesson).needs) for lesson in lessons)


def _make_zip(
    path: Path, source: Path, name: str, instructor: NotebookNode, class_seed: str, unsafe_no_sandbox: bool
) -> None:
    config = {
        "plugins": [{PLUGIN: {"unsafe_no_sandbox": unsafe_no_sandbox}}],
        "show_hidden": True,  # with the two below: everything is shown, once; findings give nothing away
        "show_all_public": True,
        "force_public_test_summary": False,
    }
    with temporary.folder() as staging:
        bundle = Bundle(staging)
        write_for_grading(scored(instructor), bundle.tests)
        carried = bundle.folder / "source" / source.name
        shutil.copytree(source, carried, ignore=NOT_CARRIED)
        for other in carried.glob("*.ipynb"):
            if other.stem != name:
                other.unlink()
        for package in (common, pt2e_kit):
            home = Path(str(package.__file__)).parent
            shutil.copytree(home, bundle.kit / home.name, ignore=NOT_CARRIED)
        derived = hashlib.sha256(f"otter\0{source.name}\0{name}\0{class_seed}".encode()).hexdigest()
        bundle.seed_file.write_text(derived + "\n", encoding="ascii")
        requirements = pins(LOCK, BACKENDS_LOCK if _needs_backends(instructor) else None)
        (staging / "requirements.txt").write_text("\n".join(requirements) + "\n", encoding="utf-8")
        (staging / "otter_config.json").write_text(json.dumps(config), encoding="utf-8")
        _generate(staging)
        own = {"requirements.txt": "\n".join(requirements) + "\n"}
        own |= {t.stem: _rendered(t) for t in sorted(TEMPLATES.glob("*.tmpl"))}
        path.parent.mkdir(parents=True, exist_ok=True)
        _with_own_files(staging / "generated.zip", path, own)


def _generate(staging: Path) -> None:
    """Let otter make its zip: it takes files below the current folder only."""
    from otter.generate import main

    with contextlib.chdir(staging / "files"):
        main(
            tests_dir=str(staging / "tests"),
            output_path=str(staging / "generated.zip"),
            config=str(staging / "otter_config.json"),
            requirements=str(staging / "requirements.txt"),
            overwrite_requirements=True,
            no_environment=True,
            python_version=_python(),
            files=[FOLDER],
        )


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _rendered(template: Path) -> str:
    text = template.read_text(encoding="utf-8")
    words = {"FOLDER": FOLDER, "AUTOGRADER": AUTOGRADER, "PYTHON": _python(), "UV": UV, "SYSTEM": SYSTEM}
    for word, value in words.items():
        text = text.replace(f"@{word}@", value)
    return text


def _with_own_files(generated: Path, path: Path, own: dict[str, str]) -> None:
    """Copy otter's zip with ours in the place of some of its files; what is run is marked as a program."""
    part = path.with_name(path.name + ".part")
    with zipfile.ZipFile(generated) as old, zipfile.ZipFile(part, "w") as new:
        files = {item.filename: old.read(item) for item in old.infolist()}
        for name, data in sorted((files | own).items()):
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o755 if name in ("run_autograder", "setup.sh") else 0o644) << 16
            new.writestr(info, data, zipfile.ZIP_DEFLATED)
    part.replace(path)
