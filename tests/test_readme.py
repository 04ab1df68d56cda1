"""README's commands work as they stand there, and what it names exists."""

import json
import re
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ROOT, copy_checkout, run, tree

README = (ROOT / "README.md").read_text(encoding="utf-8")
ASSIGNMENT = "m02_by_hand"
PROGRAMS = ("pt2e-kit", "nbgrader", "make", "py", "jupyter", "brew")
FENCED = re.compile(r"^```\w*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`([^`\n]+)`")
APART = (
    "make generate",
    "make test",
    "make demo",
    "make lab",
    "make backends",
    "jupyter lab",
    "pt2e-kit lab",
    "pt2e-kit watch NOTEBOOK",
    "brew install graphviz",
)
"""Commands that other tests run, that wait for somebody, or that belong to another system."""
PLACEHOLDERS = {
    "FOLDER": f"release/{ASSIGNMENT}",
    "NAME": "count_nodes",
    "NOTEBOOK": f"solutions/{ASSIGNMENT}/m02_2_observers_by_hand.ipynb",
}
ALONE = ("grade-one", "new-exercise", "exercises", "doctor", "start", "progress", "check")
"""Commands that need no class."""


def _commands() -> list[str]:
    """README's commands, each once, in order."""
    blocks = [line for block in FENCED.findall(README) for line in block.splitlines()]
    inline = INLINE.findall(FENCED.sub("", README))
    found = [c.strip() for c in (*blocks, *inline) if c.split()[:1] and c.split()[0] in PROGRAMS]
    return list(dict.fromkeys(found))


def _as_typed(command: str) -> list[str]:
    """A command with its placeholders filled in; nbgrader's are named without the assignment."""
    words = [PLACEHOLDERS.get(word, word) for word in shlex.split(command)]
    return [*words, ASSIGNMENT] if words[0] == "nbgrader" and words[1] != "export" and len(words) == 2 else words


def _nbgrader_steps() -> Iterator[str]:
    """`nbgrader autograde`, `generate_feedback`, `export`: the program is written once for all three."""
    (line,) = [line for line in README.splitlines() if "`nbgrader autograde`" in line]
    for word in INLINE.findall(line):
        yield word if word.startswith("nbgrader") else f"nbgrader {word}"


def _to_run(course_wide: bool) -> list[list[str]]:
    """README's commands as typed, each once: those that a course needs in their order, or the others."""
    commands = [c for c in dict.fromkeys([*_commands(), *_nbgrader_steps()]) if c not in APART]
    typed = [_as_typed(c) for c in commands if not c.startswith("py ")]
    chosen = [words for words in typed if (words[1] not in ALONE) == course_wide]
    return [words for i, words in enumerate(chosen) if words not in chosen[:i]]


def _run_all(commands: list[list[str]], course: Path) -> set[str]:
    for words in commands:
        finished = run(words, course)
        assert finished.returncode == 0, f"{shlex.join(words)}: {finished.stdout}{finished.stderr}"
        assert "Traceback" not in finished.stderr
    return {words[1] for words in commands}


@pytest.mark.slow
def test_commands_without_a_course_work(tmp_path: Path) -> None:
    folder = copy_checkout(tmp_path / "a checkout")
    # The new exercise stands in the copy, and the program comes from the checkout: so it goes last.
    commands = sorted(_to_run(False), key=lambda words: words[1] == "new-exercise")
    assert _run_all(commands, folder) == set(ALONE)
    result = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert (result["state"], result["score"]) == ("graded", 0), "the released notebook has stubs only"


@pytest.mark.slow
def test_the_commands_of_a_course_work(tmp_path: Path) -> None:
    """In README's order, as one person would go through them; the solutions of a module are handed in."""
    course = copy_checkout(tmp_path / "a course")
    handed_in = course / "submitted" / "ada" / ASSIGNMENT
    shutil.copytree(ROOT / "solutions" / ASSIGNMENT, handed_in)
    steps = _run_all(_to_run(True), course)
    assert steps == {
        "fmt",
        "release",
        "grade",
        "otter",
        "report",
        "generate_assignment",
        "autograde",
        "generate_feedback",
        "export",
    }
    assert len(list(course.glob("for-otter/*/autograder.zip"))) == 3
    results = course / "results" / ASSIGNMENT / "ada" / "results.json"
    result = json.loads(results.read_text(encoding="utf-8"))
    assert (result["state"], result["score"]) == ("graded", result["max_score"])
    assert "ada" in (course / "grades.csv").read_text(encoding="utf-8")
    assert list((course / "feedback" / "ada").glob("*/*.html"))
    assert tree(course / "release") == tree(ROOT / "release"), "nbgrader's student version is another than ours"
    assert tree(course / "source") == tree(ROOT / "source")


@pytest.mark.parametrize("target", ["demo", "test", "lab", "release", "solutions", "fmt", "lint"])
def test_make_targets_hold_together(target: str, tmp_path: Path) -> None:
    """What make would do, in a folder whose name holds a blank; nothing is done."""
    folder = tmp_path / "with blank"
    folder.mkdir()
    for name in ("Makefile", "requirements.lock", "requirements-backends.lock", "pyproject.toml"):
        shutil.copyfile(ROOT / name, folder / name)
    finished = run(["make", "-n", target], folder)
    assert finished.returncode == 0, finished.stderr
    assert not finished.stderr
    assert str(tmp_path) not in finished.stdout, "paths are relative, or blanks would break them"
    assert [p.name for p in folder.iterdir() if p.name == ".venv"] == []


def test_make_lists_its_targets() -> None:
    done = run(["make"], ROOT)
    for command in (c for c in APART if c.startswith("make ")):
        assert f"  {command} " in done.stdout


def test_windows_installs_the_same() -> None:
    lines = [line for block in FENCED.findall(README) for line in block.splitlines() if ".venv" in line]
    assert lines == ["py -m venv .venv", r".venv\Scripts\python -m pip install -c requirements.lock -e ."]


def _named_files() -> list[str]:
    """What README names with a slash or an ending, and what it links to."""
    linked = re.findall(r"\]\(([^)#]+)\)", README)
    words = [w for text in INLINE.findall(FENCED.sub("", README)) if text not in _commands() for w in [text]]
    inside = [w for c in _commands() for w in c.split() if "/" in w]
    named = [w for w in (*words, *inside) if re.fullmatch(r"[\w./<>-]+(/|\.\w{2,5})[\w./<>-]*", w)]
    return sorted({n for n in (*linked, *named) if "://" not in n})


MADE_LATER = (
    "work/",
    "demo-class/",
    "results.json",
    "results/",
    "feedback/",
    "autograded/",
    "submitted/",
    "checks/",
    "answers/",
)
"""Written by commands, or named as a part of the folder that stands before it."""


@pytest.mark.parametrize("name", [n for n in _named_files() if not n.startswith(MADE_LATER)])
def test_what_readme_names_exists(name: str) -> None:
    assert (ROOT / name).exists()


def test_the_names_were_found() -> None:
    names = _named_files()
    for wanted in ("source/", "docs/exercises.md", "docs/results.schema.json", "requirements.lock", "pt2e_kit/"):
        assert wanted in names
    assert (ROOT / "common" / "checks").is_dir() and (ROOT / "tests" / "answers").is_dir()


def test_readme_is_finished() -> None:
    for line in README.splitlines():
        assert not re.fullmatch(r"[A-Z]{3,}", line.strip()), f"a placeholder is left: {line}"
    assert "TODO" not in README
