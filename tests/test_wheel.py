"""The wheel holds what students need, and works without what only instructors have."""

import os
import sys
import zipfile
from pathlib import Path

import pytest
from commands import ROOT, copy_checkout, run

INSTRUCTORS = ("nbgrader", "otter")
BLOCK = """import sys
class _Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, _Absent())
"""
LESSON = """
from common import check, hint, lesson
lesson("m02_2")
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
check("m02_2.insert_after")
hint("m02_2.insert_after")
import common, common.data
print(len(common.data.trained_tiny_net().state_dict()))
print(common.__file__)
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, unpacked into a folder of its own; beside it a Python without the instructors' libraries."""
    folder = tmp_path_factory.mktemp("wheel")
    files = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-LESSONS")
    copy_checkout(folder / "checkout", ("common", "pt2e_kit"), files)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), "."]
    done = run(command, folder / "checkout")
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(folder / "site")
    (folder / "block").mkdir()
    (folder / "block" / "sitecustomize.py").write_text(BLOCK.format(names=INSTRUCTORS))
    (folder / "empty").mkdir()
    return folder


def as_student(installed: Path, *words: str) -> tuple[int, str]:
    """Run Python with the wheel in the checkout's place, and without the instructors' libraries."""
    path = os.pathsep.join([str(installed / "block"), str(installed / "site")])
    done = run([sys.executable, *words], installed / "empty", PYTHONPATH=path)
    return done.returncode, done.stdout + done.stderr


def test_it_holds_the_packages_and_nothing_else(installed: Path):
    names = {p.relative_to(installed / "site").as_posix() for p in (installed / "site").rglob("*") if p.is_file()}
    assert {n.partition("/")[0].partition("-")[0] for n in names} == {"common", "pt2e_kit"}
    for kind in ("*.json", "*.css", "*.safetensors", "*.j2", "*.tmpl"):
        here = {p.relative_to(ROOT).as_posix() for part in ("common", "pt2e_kit") for p in (ROOT / part).rglob(kind)}
        assert here <= names
    assert any(n.endswith("entry_points.txt") for n in names)


@pytest.mark.slow
def test_a_student_checks_an_answer(installed: Path):
    code, said = as_student(installed, "-c", LESSON)
    assert code == 0, said
    assert "✓" in said and "Hint 1 of" in said
    assert str(installed / "site") in said, "the installed package was used, not the checkout"


@pytest.mark.parametrize("words", [("--help",), ("doctor",), ("exercises",), ("progress",)], ids=" ".join)
def test_commands_for_students_need_no_more(installed: Path, words: tuple[str, ...]):
    code, said = as_student(installed, "-m", "pt2e_kit", *words)
    assert code == 0, said


def test_a_command_for_instructors_says_what_it_needs(installed: Path):
    (installed / "empty" / "nbgrader_config.py").write_text("c = get_config()\n")
    (installed / "empty" / "source" / "a1").mkdir(parents=True, exist_ok=True)
    code, said = as_student(installed, "-m", "pt2e_kit", "release", "a1", "--course", str(installed / "empty"))
    assert code == 1
    assert "pip install 'pt2e-kit[instructor]'" in said and "Traceback" not in said
