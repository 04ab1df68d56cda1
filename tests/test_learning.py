"""`start`, `lab` and `progress`: a notebook of one's own, and what is in it is safe."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ROOT, Done, copy_checkout

from common.exercise import progress
from pt2e_kit.learning import starting

NAME = "m02_2_observers_by_hand.ipynb"


@pytest.fixture
def course(tmp_path: Path) -> Path:
    made = copy_checkout(tmp_path / "a course", ("release",), ("nbgrader_config.py",))
    (made / "source").mkdir()
    return made


def test_start_gives_the_released_notebook(course: Path) -> None:
    (started,) = starting.start(course, "m02_2")
    assert started.fresh
    assert started.path == course / "work" / "m02_by_hand" / NAME
    assert started.path.read_bytes() == (course / "release" / "m02_by_hand" / NAME).read_bytes()


def test_start_overwrites_nothing(course: Path) -> None:
    (mine,) = starting.start(course, "m02_2")
    mine.path.write_text("my work")
    (again,) = starting.start(course, "m02_2")
    assert (again.path, again.fresh) == (mine.path, False)
    beside = [starting.start(course, "m02_2", again=True)[0] for _ in range(2)]
    assert [s.path.name for s in beside] == [NAME.replace(".ipynb", f"-{n}.ipynb") for n in (2, 3)]
    assert all(s.fresh for s in beside)
    assert mine.path.read_text() == "my work"


def test_start_of_a_module_brings_all_lessons_and_their_files(course: Path, tmp_path: Path) -> None:
    module = course / "release" / "m02_by_hand"
    (module / "helper.py").write_text("theirs")
    (module / ".ipynb_checkpoints").mkdir()
    (module / ".ipynb_checkpoints" / "x.txt").write_text("")
    found = starting.start(course, "m02_by_hand", tmp_path / "mine")
    assert [s.path.name for s in found] == sorted(p.name for p in module.glob("*.ipynb"))
    assert (tmp_path / "mine" / "helper.py").read_text() == "theirs"
    (tmp_path / "mine" / "helper.py").write_text("mine")
    starting.start(course, "m02_by_hand", tmp_path / "mine")
    assert (tmp_path / "mine" / "helper.py").read_text() == "mine"
    assert not (tmp_path / "mine" / ".ipynb_checkpoints").exists()


def test_a_dangling_link_is_not_written_through(course: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / NAME).symlink_to(tmp_path / "elsewhere.ipynb")
    (started,) = starting.start(course, "m02_2", folder)
    assert not started.fresh and not (tmp_path / "elsewhere.ipynb").exists()


def test_nothing_released(course: Path) -> None:
    (course / "release" / "m02_by_hand" / NAME).unlink()
    with pytest.raises(FileNotFoundError, match=r"no notebook of m02_2 .*pt2e-kit release"):
        starting.start(course, "m02_2")


def test_start_as_a_command(course: Path, call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(course)
    assert call("start", "m02_2").out == f"ready: work/m02_by_hand/{NAME}\n"
    done = call("start", "m02_2")
    assert done.code == 0 and "left as it is" in done.out


def test_outside_of_a_course_the_checkout_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert starting.course_folder() == ROOT


def test_lab_opens_the_notebook(
    course: Path, call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(starting, "run_until_closed", lambda command, folder: commands.append([*command, folder]) or 3)
    monkeypatch.chdir(course)
    monkeypatch.setenv(progress.FILE_VARIABLE, str(tmp_path / "progress.json"))
    progress.write({"id": "m02_2.insert_after", "passed": True, "score": 4, "max_score": 4, "hidden": False})
    for arguments in (["m02_2"], [], ["--no-browser", "--port", "8899"]):
        assert call("lab", *arguments).code == 3
    for command in commands:
        assert command[:3] == [sys.executable, "-m", "jupyterlab"]
        assert f"--ServerApp.root_dir={course / 'work'}" in command
        assert f"--LabApp.default_url=/lab/tree/m02_by_hand/{NAME}" in command
        assert command[-1] == course, "nbgrader's Validate reads the course's settings"
    assert {"--no-browser", "--port=8899"} <= set(commands[2]) and "--no-browser" not in commands[0]
    assert call("lab", "m00_1", "--to", str(tmp_path / "m y")).code == 3
    assert f"--ServerApp.root_dir={tmp_path / 'm y'}" in commands[3]
    assert (tmp_path / "m y" / "m00_1_what_export_gives.ipynb").is_file()


def test_run_until_closed_gives_the_exit_code(tmp_path: Path) -> None:
    assert starting.run_until_closed([sys.executable, "-c", "raise SystemExit(5)"], tmp_path) == 5


def test_progress_as_a_command(call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv(progress.FILE_VARIABLE, str(tmp_path / "progress.json"))
    progress.write({"id": "m02_2.insert_after", "passed": True, "score": 4, "max_score": 4, "hidden": False})
    assert "✓ insert_after" in call("progress").out
    assert "Next: m02_2.observer_from_spec" in call("progress", "m02_2").out
    told = json.loads(call("progress", "--json").out)
    assert told["next"] == "m02_2.observer_from_spec"
    assert told["lessons"]["m02_2"][0]["state"] == "solved"
