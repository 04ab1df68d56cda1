"""The class that `make demo` grades is what its tool writes from the released notebook and the answers bank."""

import importlib.util
from pathlib import Path
from types import ModuleType

import nbformat
import pytest
from commands import ROOT, tree

from common.exercise import all_exercises, find_exercise
from pt2e_kit.demo import ASSIGNMENT, CLASS, MARK, NOTEBOOK, make_course


@pytest.fixture(scope="module")
def tool() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_demo_class", ROOT / "tools" / "make_demo_class.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_class_is_up_to_date(tool: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tool, "OUT", tmp_path / "submitted")
    tool.main()
    made, committed = tree(tmp_path / "submitted"), tree(CLASS)
    assert sorted(made) == sorted(committed)
    stale = [name for name in made if made[name] != committed[name]]
    assert not stale, f"out of date in demo/submitted: {stale}; run python tools/make_demo_class.py"


def test_the_class_shows_what_the_grader_can_do(tool: ModuleType) -> None:
    """A dozen: right in two ways, several misconceptions, half done, blank, damaged, dishonest."""
    assert len(tool.STUDENTS) >= 12
    right = [a for a in tool.STUDENTS.values() if len(a) == len(tool.RIGHT) and "reject" not in " ".join(a.values())]
    assert len({tuple(a.values()) for a in right}) >= 2
    assert {} in tool.STUDENTS.values()
    assert any(0 < len(answers) < len(tool.RIGHT) for answers in tool.STUDENTS.values())
    assert len({f for a in tool.STUDENTS.values() for f in a.values() if f.startswith("reject")}) >= 5
    assert set(tool.RIGHT) == {e.name for e in all_exercises() if e.lesson == "m02_2"}
    for answers in tool.STUDENTS.values():
        for name, file in answers.items():
            assert find_exercise(f"m02_2.{name}")
            assert "# finds:" not in tool.answer(name, file)
    broken = []
    for path in CLASS.rglob("*.ipynb"):
        try:
            nbformat.read(path, as_version=4)
        except ValueError:
            broken.append(path.parent.parent.name)
    assert broken == ["s09"]


def test_the_demo_makes_its_folder_anew_and_spares_others(tmp_path: Path) -> None:
    folder = tmp_path / "a class"
    course = make_course(folder)
    assert (folder / MARK).is_file()
    assert course.assignments() == [ASSIGNMENT]
    assert [p.name for p in course.source(ASSIGNMENT).iterdir()] == [NOTEBOOK]
    assert len(course.submissions(ASSIGNMENT)) == 12
    (folder / "left-over").touch()
    make_course(folder)
    assert not (folder / "left-over").exists()
    (folder / MARK).unlink()
    with pytest.raises(FileExistsError, match="choose another with --folder"):
        make_course(folder)
    assert (folder / "submitted").is_dir()
    empty = tmp_path / "empty"
    empty.mkdir()
    assert make_course(empty).root == empty
