"""Progress: kept whole, by several notebooks at a time, and never in the way of a check."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from commands import ROOT, environment
from filelock import FileLock

from common.exercise import progress
from common.exercise.order import checked_in, exercises_of, lessons_with_exercises, next_exercise
from common.exercise.overview import closing_line, next_id, progress_table, standings, what_next
from common.exercise.registry import exercise_ids

ID = "m02_2.insert_after"


def verdict(exercise_id: str = ID, passed: bool = True, misconception: str | None = None) -> dict[str, Any]:
    found = [] if passed else [{"misconception": f"{exercise_id}/{misconception}" if misconception else None}]
    return {"id": exercise_id, "passed": passed, "score": 4 * passed, "max_score": 4, "findings": found}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "data" / "progress.json"
    monkeypatch.setenv(progress.FILE_VARIABLE, str(path))
    monkeypatch.delenv("PT2E_KIT_EVIDENCE", raising=False)
    return path


def test_tries_and_the_first_success_are_kept(file: Path) -> None:
    for passed in (False, True, False):
        progress.record(verdict(passed=passed))
    entry = progress.read_progress()[ID]
    assert (entry["tries"], entry["passed"], entry["score"]) == (3, False, 0)
    assert entry["solved"], "what was solved once stays so"
    assert progress.solved_exercises() == {ID}
    assert sorted(p.name for p in file.parent.iterdir() if not p.name.endswith(".lock")) == ["progress.json"]


@pytest.mark.parametrize("misconception", ["stub", "not-run"])
def test_no_answer_is_no_try(file: Path, misconception: str) -> None:
    progress.record(verdict(passed=False, misconception=misconception))
    assert not file.exists()


def test_nothing_is_noted_while_grading(file: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PT2E_KIT_EVIDENCE", str(tmp_path))
    progress.record(verdict())
    assert not file.parent.exists()


def test_it_can_be_switched_off(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(progress.FILE_VARIABLE, "off")
    progress.record(verdict())
    assert progress.progress_file() is None and progress.read_progress() == {}
    assert not file.parent.exists()


def test_it_lies_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(progress.FILE_VARIABLE)
    path = progress.progress_file()
    assert path is not None and path.name == "progress.json" and "pt2e-kit" in path.parts


@pytest.mark.parametrize(
    "content",
    ["", "{", "[]", '{"schema": "pt2e-kit.progress/1"}', '{"schema": "other/9", "exercises": {}}', "[" * 100_000],
    ids=["empty", "cut off", "a list", "nothing in it", "another form", "deep"],
)
def test_a_damaged_file_is_set_aside(file: Path, content: str) -> None:
    file.parent.mkdir()
    for number in range(2):
        file.write_text(content)
        assert progress.read_progress() == {}
        progress.record(verdict())
        assert set(progress.read_progress()) == {ID}
        assert len(list(file.parent.glob("progress.damaged*.json"))) == number + 1
    assert all(p.read_text() == content for p in file.parent.glob("progress.damaged*.json"))


def test_an_entry_of_another_form_is_left_out(file: Path) -> None:
    file.parent.mkdir()
    file.write_text(json.dumps({"schema": progress.SCHEMA, "exercises": {ID: {"tries": "many"}, "x": 3}}))
    assert progress.read_progress() == {}
    progress.record(verdict())
    assert progress.read_progress()[ID]["tries"] == 1


def test_two_processes_lose_nothing(file: Path) -> None:
    code = (
        "import sys; from common.exercise.progress import write\n"
        "for n in range(20): write({'id': sys.argv[1], 'passed': True, 'score': 1, 'max_score': 1, 'hidden': False})"
    )
    env = environment(PT2E_KIT_PROGRESS=str(file))
    started = [subprocess.Popen([sys.executable, "-c", code, i], cwd=ROOT, env=env) for i in ("a", "b")]
    assert [p.wait() for p in started] == [0, 0]
    assert {i: entry["tries"] for i, entry in progress.read_progress().items()} == {"a": 20, "b": 20}


def test_a_lock_that_somebody_holds_keeps_nobody_waiting(file: Path) -> None:
    file.parent.mkdir()
    with FileLock(file.with_name("progress.json.lock")):
        began = time.monotonic()
        progress.record(verdict())
        assert time.monotonic() - began < progress.LOCK_SECONDS
    for thread in threading.enumerate():  # it is written as soon as the lock is free
        if thread is not threading.current_thread() and thread.daemon and "_write_quietly" in thread.name:
            thread.join(10)
    assert ID in progress.read_progress()


def test_what_cannot_be_written_breaks_nothing(file: Path) -> None:
    file.parent.write_text("a file where the folder should be")
    progress.record(verdict())
    progress.record({})
    assert progress.read_progress() == {}


# -- order, and what comes next


def test_every_exercise_has_its_place() -> None:
    placed = [i for lesson in lessons_with_exercises() for i in exercises_of(lesson)]
    assert sorted(placed) == exercise_ids()
    assert exercises_of("m02_2")[:3] == ("m02_2.insert_after", "m02_2.observer_from_spec", "m02_2.build_manual")


def test_the_order_is_that_of_the_notebook() -> None:
    assert checked_in('check(\\"m00_1.b\\")\\n", check("m00_1.a") recheck("m00_1.c") check(\\"m00_1.b\\")') == [
        "m00_1.b",
        "m00_1.a",
    ]


def test_next_exercise() -> None:
    here = exercises_of("m02_2")
    assert next_exercise(here[0]) == here[1]
    assert next_exercise(here[-1]) == here[0], "what was left out in this lesson comes before the next lesson"
    assert next_exercise(here[-1], set(here)) == exercises_of("m02_3")[0]
    last = exercises_of(lessons_with_exercises()[-1])
    assert next_exercise(last[-1], set(last)) == exercises_of("m00_1")[0]
    assert next_exercise(ID, set(exercise_ids())) is None


def test_what_next_in_words(file: Path) -> None:
    here = exercises_of("m02_2")
    assert what_next(here[0]) == "Next: m02_2.observer_from_spec (practice, 10 minutes)"
    for exercise_id in here:
        progress.record(verdict(exercise_id))
    assert what_next(here[-1]).startswith("Every exercise of m02_2 is solved. Next: lesson m02_3 “Convert by hand”")
    for exercise_id in exercise_ids():
        progress.write(verdict(exercise_id) | {"hidden": False})
    assert what_next(ID) == "That was the last one: every exercise of the course is solved."
    assert next_id() is None


def test_without_progress_the_exercises_before_count_as_done(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(progress.FILE_VARIABLE, "off")
    here, last = exercises_of("m02_2"), exercises_of(lessons_with_exercises()[-1])
    assert here[1] in what_next(here[0])
    assert what_next(here[-1]).startswith("Every exercise of m02_2 is solved. Next: lesson m02_3")
    assert what_next(last[-1]).startswith("That was the last one")


def test_the_overview(file: Path) -> None:
    assert next_id() == exercises_of("m00_1")[0]
    progress.record(verdict())
    progress.record(verdict("m02_2.build_manual", passed=False))
    assert [s.state for s in standings("m02_2")["m02_2"]] == ["solved", "open", "tried", "open", "open"]
    assert next_id() == "m02_2.build_manual"
    row = next(row for row in progress_table()[1] if row[0] == "m02_2")
    assert row[2] == "1/5"
    assert row[3].startswith("✓ insert_after  · observer_from_spec  ✗ build_manual")
    assert closing_line().startswith(f"1 of {len(exercise_ids())} exercises solved. Next: m02_2.build_manual")


def test_progress_in_words_needs_no_torch(file: Path) -> None:
    progress.record(verdict())
    code = "import sys; from common import progress; progress(); progress('m02_2'); print('torch' in sys.modules)"
    env = environment(PT2E_KIT_PROGRESS=str(file))
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert "✓ insert_after" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
    with pytest.raises(ValueError, match="no lesson 'm02_9'"):
        progress_table("m02_9")
