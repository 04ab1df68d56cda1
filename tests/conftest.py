"""Settings for all tests."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # answers_bank and source_cells are shared by several tests
from commands import ROOT, Done

os.environ["PT2E_KIT_PROGRESS"] = "off"  # nobody's own progress is touched by tests, nor by programs that they start


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch):
    """Leave out the kernel: all cells of a notebook "ran well", except where an answer holds the word wrong."""

    def pretend(notebook, *_more, **_options):
        wrong = any("wrong" in c.source for c in notebook.cells)
        return Executed(statuses=dict.fromkeys(range(len(notebook.cells)), "error" if wrong else "ok"))

    from pt2e_kit.grading import notebook as grading_notebook
    from pt2e_kit.grading.executed import Executed

    monkeypatch.setattr(grading_notebook, "execute", pretend)


def _commands(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """Run the command line in this process, in a folder: much quicker than a new one."""
    from pt2e_kit.cli import app

    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PATH", os.environ["PATH"])  # the program changes it

    def call(*arguments: str) -> Done:
        with pytest.raises(SystemExit) as left:
            app(list(arguments))
        told = capsys.readouterr()
        return Done(int(left.value.code or 0), told.out, told.err)

    return call


@pytest.fixture
def call(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The command line, in the folder of the checkout."""
    return _commands(ROOT, monkeypatch, capsys)


@pytest.fixture
def in_course(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Done]:
    """The command line, in a test's own folder."""
    return _commands(tmp_path, monkeypatch, capsys)
