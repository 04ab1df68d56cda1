"""`check`: a whole notebook, judged as when it is graded, and told in order."""

import json
from pathlib import Path
from typing import Any

import nbformat
import pytest
from answers_bank import BANK
from commands import ROOT, kit

from common.exercise import find_exercise
from common.exercise.order import exercises_of
from common.lessons import find_lesson
from pt2e_kit.grading.notes import Note
from pt2e_kit.learning import checking, telling
from pt2e_kit.notebooks import exercise_cells, read_notebook

RELEASED = ROOT / "release" / "m02_by_hand" / "m02_2_observers_by_hand.ipynb"


def with_answers(to: Path, **answers: str) -> Path:
    """The released notebook with answers of the bank in it: name → file of the bank."""
    notebook = nbformat.read(RELEASED, as_version=4)
    for name, file in answers.items():
        (cell,) = (c for c in notebook.cells if c.id == f"m02_2-{name}-answer")
        cell.source = (BANK / "m02_2" / name / f"{file}.py").read_text(encoding="utf-8")
    nbformat.write(notebook, to)
    return to


def verdict(exercise_id: str, passed: bool = False, misconception: str | None = None, why: str = "") -> dict[str, Any]:
    exercise = find_exercise(exercise_id)
    found = {"criterion": None, "symptom": "It is wrong.", "why": why, "cases": ["case 1"], "detail": "asked for: 1"}
    found |= {"misconception": f"{exercise_id}/{misconception}" if misconception else None, "picture": None}
    criteria = [
        {"name": n, "score": p * passed, "max_score": p, "passed": passed} for n, p in exercise.criteria.items()
    ]
    return {
        "id": exercise_id,
        "kind": exercise.kind,
        "score": exercise.points * passed,
        "max_score": exercise.points,
        "status": "scored",
        "passed": passed,
        "criteria": criteria,
        "findings": [] if passed else [found],
        "notes": [],
    }


def checked(*verdicts: dict[str, Any], hidden: bool = False, notes: tuple[Note, ...] = ()) -> checking.Checked:
    return checking.Checked(find_lesson("m02_2"), list(verdicts), hidden, list(notes))


# -- which lesson, and what it is checked against


def test_the_lesson_is_found_whatever_the_file_is_called() -> None:
    assert checking.lesson_of(read_notebook(RELEASED.read_bytes()), Path("copy.ipynb")).id == "m02_2"


def test_a_notebook_of_something_else(tmp_path: Path) -> None:
    path = tmp_path / "other.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")]), path)
    with pytest.raises(ValueError, match="checks no exercise of this course"):
        checking.check_notebook(ROOT, path)


def test_public_cases_only_unless_hidden_ones_are_asked_for() -> None:
    lesson = find_lesson("m02_2")
    for hidden in (False, True):
        lecture = checking.find_lecture(ROOT, lesson, hidden=hidden)
        cells = list(exercise_cells(lecture.instructor))
        assert [c.exercise_id for c in cells] == list(exercises_of("m02_2"))
        assert any(c.cases for c in cells) == hidden


def test_without_source_it_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"holds no m02_2"):
        checking.find_lecture(tmp_path, find_lesson("m02_2"), hidden=False)


# -- what it says


def test_the_exercise_to_do_is_the_first_wrong_one_then_the_first_open_one() -> None:
    first, second, third = exercises_of("m02_2")[:3]
    stub, wrong, right = verdict(first, misconception="stub"), verdict(second), verdict(third, passed=True)
    assert checked(stub, wrong, right).to_do() is wrong
    assert checked(stub, right).to_do() is stub
    assert checked(right).to_do() is None


def test_overview_and_closing(tmp_path: Path) -> None:
    first, second, third = exercises_of("m02_2")[:3]
    stopped = Note("limit", "a cell was stopped")
    told = checked(verdict(first, passed=True), verdict(second), verdict(third, misconception="stub"), notes=(stopped,))
    lines = telling.overview(told)
    assert lines[0].endswith("1 of 3 exercises solved, with the public cases")
    assert lines[1:] == [
        "  ✓ m02_2.insert_after        4 of 4 points",
        "  ✗ m02_2.observer_from_spec  0 of 4 points",
        "  · m02_2.build_manual        no answer yet",
        "  ! a cell was stopped",
    ]
    next_line, solution = telling.closing(told, Path("solutions/x.ipynb"))
    assert next_line == "Next: m02_2.observer_from_spec (practice, 10 minutes)"
    assert "solutions/x.ipynb (it has the answers to the others too)" in solution
    assert len(telling.closing(checked(verdict(second)), Path("solutions/x.ipynb"))) == 1, "nothing is solved yet"


def test_after_the_last_one_comes_the_next_lesson() -> None:
    told = checked(*(verdict(i, passed=True) for i in exercises_of("m02_2")), hidden=True)
    assert told.solved
    assert "with public and hidden cases" in telling.overview(told)[0]
    assert "Next" in telling.closing(told, None)[0]


def test_why_and_hints_come_on_request() -> None:
    made = verdict("m02_2.insert_after", why="because")
    assert not any("because" in line or "hint(" in line for line in telling.findings(made))
    assert any("Why: because" in line for line in telling.findings(made, why=True))
    assert [line.partition(": ")[0] for line in telling.hints(made["id"], 2)] == [
        "m02_2.insert_after, hint 1 of 3",
        "m02_2.insert_after, hint 2 of 3",
    ]
    assert len(telling.hints(made["id"], 9)) == 3


def test_only_what_changed_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    noted: list[tuple[str, bool]] = []
    monkeypatch.setattr(checking, "record", lambda v, hidden: noted.append((v["id"], hidden)))
    first, second = exercises_of("m02_2")[:2]
    checking.record_all(checked(verdict(first, passed=True), verdict(second)), [verdict(first), verdict(second)])
    assert noted == [(first, False)]


# -- the real thing


@pytest.mark.slow
def test_a_notebook_is_checked_as_it_is_graded(tmp_path: Path) -> None:
    mine = with_answers(
        tmp_path / "mine (1).ipynb", insert_after="accept_splice", observer_from_spec="reject_always_minmax"
    )
    before = mine.read_bytes()
    file = str(tmp_path / "progress.json")
    done = kit("check", str(mine), "--hidden", "--json", folder=tmp_path, PT2E_KIT_PROGRESS=file)
    assert done.returncode == 1, done.stderr
    told = json.loads(done.stdout)
    assert (told["lesson"], told["hidden"], told["solved"]) == ("m02_2", True, False)
    by_id = {v["id"]: v for v in told["exercises"]}
    assert list(by_id) == list(exercises_of("m02_2"))
    assert by_id["m02_2.insert_after"]["passed"]
    assert any("hidden case 1" in f["cases"] for f in by_id["m02_2.observer_from_spec"]["findings"])
    assert by_id["m02_2.build_manual"]["findings"][0]["misconception"] == "m02_2.build_manual/stub"
    assert mine.read_bytes() == before
    noted = json.loads(Path(file).read_text())["exercises"]
    assert {i: (e["passed"], e["hidden"]) for i, e in noted.items()} == {
        "m02_2.insert_after": (True, True),
        "m02_2.observer_from_spec": (False, False),
    }
    assert sorted(p.name for p in tmp_path.iterdir()) == ["mine (1).ipynb", "progress.json", "progress.json.lock"]
