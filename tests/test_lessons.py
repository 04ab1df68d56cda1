"""The first cell of a lesson, and the checks that it shares with `pt2e-kit doctor`."""

import subprocess
import sys

import pytest

from common import lessons, platform_checks
from common.platform_checks import PARTS, Found, Part


def test_importing_lessons_does_not_load_torch() -> None:
    code = "import sys, common.lessons; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_unknown_lesson_is_named_with_its_neighbours() -> None:
    with pytest.raises(ValueError, match=r"no lesson 'm02_22'.*m02_2"):
        lessons.find_lesson("m02_22")


def test_a_lesson_prints_one_line_and_seeds(capsys: pytest.CaptureFixture[str]) -> None:
    import torch

    lessons.lesson("m02_2")
    first = torch.rand(3)
    lessons.lesson("m02_2")
    assert torch.equal(first, torch.rand(3))
    assert torch.get_num_threads() == 1
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0] == lines[1]
    assert f"torch {torch.__version__}" in lines[0]


def test_the_line_says_what_is_missing_and_how_to_get_it() -> None:
    part = Part("press", "prints", "buy one", lambda: Found(False), substitute="write by hand")
    line = lessons.status_line(lessons.find_lesson("m02_2"), [part])
    assert "\n" not in line
    for words in ("missing: press", "prints", "buy one", "write by hand"):
        assert words in line


def test_every_need_of_a_lesson_is_a_known_part() -> None:
    for entry in lessons.LESSONS.values():
        assert set(entry.needs) <= set(PARTS)
        assert entry.id.split("_")[0] == entry.module.split("_")[0]


def test_a_missing_program_is_found_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CXX", raising=False)
    ids = [part.id for part in platform_checks.missing_parts(["python", "dot", "bubblewrap", "cxx"])]
    assert ids == ["dot", "bubblewrap", "cxx"]


def test_a_version_out_of_range_is_not_good(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform_checks, "version_of", lambda name: "0.1.0")
    found = PARTS["torchao"].check()
    assert found.present and not found.good
    assert "0.18" in (found.wanted or "")
