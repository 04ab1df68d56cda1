"""What is recorded: nothing twice, nothing lost, nothing old passed off as new."""

import csv
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from commands import kit, run
from course_kit import grade, in_gradebook, make_course, nbgrader
from grading_kit import ROOT, cell, make_cases, put, tiny
from nbformat.v4 import new_code_cell

from pt2e_kit.course import Course
from pt2e_kit.gradebook import marks, opened
from pt2e_kit.grading import notebook as grading_notebook
from pt2e_kit.grading.sandbox import bubblewrap
from pt2e_kit.record import grade_assignment, prepare_gradebook, read_result
from pt2e_kit.standing import changes, safe_cell, standings


def handed_in(course: Course, student: str = "s01") -> Path:
    return course.root / "submitted" / student / "a1"


def stands(course: Course, student: str = "s01") -> dict[str, Any]:
    (row,) = (r for r in standings(course, "a1") if r["student_id"] == student)
    return row


def mark_by_hand(course: Course, name: str, mark: float, student: str = "s01") -> None:
    with opened(course.db_url()) as gradebook:
        grade_ = gradebook.find_grade(name, "p1", "a1", student)
        grade_.manual_score = mark
        gradebook.db.commit()


def set_points(course: Course, grade_id: str, points: float) -> None:
    changed = make_cases.source()
    cell(changed, grade_id).metadata["nbgrader"]["points"] = points
    put(course.root / "source" / "a1", changed)


@pytest.fixture
def runs(quick, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """One entry for each notebook that was run."""
    found: list[int] = []
    real = grading_notebook.execute

    def counted(*arguments: Any, **options: Any):
        found.append(1)
        return real(*arguments, **options)

    monkeypatch.setattr(grading_notebook, "execute", counted)
    return found


# ---------------------------------------------------------------- once, and again when something has changed


def test_nothing_is_graded_twice(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    for student in ("s01", "s02"):
        put(handed_in(course, student), tiny())
    first = grade(course)
    assert grade(course) == first and len(runs) == 2
    assert [r["score"] for r in grade(course, force=True).values()] == [9, 9] and len(runs) == 4


def test_a_resubmission_is_known_by_its_content(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    put(handed_in(course), tiny(q1="wrong"))
    assert grade(course)["s01"]["score"] == 0 and stands(course)["stale"] == ""
    put(handed_in(course), tiny())
    assert "handed in anew" in stands(course)["stale"]
    assert grade(course)["s01"]["score"] == 9 and stands(course)["stale"] == "" and len(runs) == 2
    (handed_in(course) / "timestamp.txt").write_text("2026-01-10 23:30:00 UTC")
    assert grade(course)["s01"]["submitted_at"] == "2026-01-10T23:30:00+00:00" and len(runs) == 3


@pytest.mark.slow
def test_nbgrader_autograde_notices_a_resubmission_without_a_time_stamp(tmp_path: Path):
    course = make_course(tmp_path)
    put(handed_in(course), tiny(q1="def square(x): return 0"))
    assert nbgrader(course.root, "generate_assignment", "a1").returncode == 0
    assert nbgrader(course.root, "autograde", "a1").returncode == 0 and in_gradebook(course) == {"s01": 7}
    put(handed_in(course), tiny())
    assert nbgrader(course.root, "autograde", "a1").returncode == 0 and in_gradebook(course) == {"s01": 9}


def test_what_the_gradebook_does_not_know_is_graded_again(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    grade(course)
    (tmp_path / "gradebook.db").unlink()
    assert grade(course)["s01"]["score"] == 9 and in_gradebook(course) == {"s01": 9} and len(runs) == 2


# ---------------------------------------------------------------- stale scores


def test_a_broken_resubmission_keeps_the_old_score_and_says_so_everywhere(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    put(handed_in(course, "s02"), b"{")
    grade(course)
    put(handed_in(course), b"{")
    for _again in range(2):  # the second time there is no graded result in between
        result = grade(course, force=True)["s01"]
        assert (result["state"], result["score"]) == ("unreadable", None)
        assert result["notebooks"][0]["earlier"]["score"] == 9
    row = stands(course)
    assert (row["state"], row["score"]) == ("unreadable", 9) and "of an earlier submission" in row["stale"]
    never = stands(course, "s02")
    assert (never["state"], never["score"], never["stale"]) == ("unreadable", None, "")
    put(handed_in(course), tiny(q1="wrong"))
    assert "earlier" not in grade(course)["s01"]["notebooks"][0] and stands(course)["stale"] == ""


@pytest.mark.slow
def test_the_exports_tell_of_stale_scores(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    put(handed_in(course, "s02"), b"{")
    grade(course)
    put(handed_in(course), b"{")
    grade(course)
    assert kit("export", "a1", "--to", "ours.csv", folder=tmp_path).returncode == 0
    assert nbgrader(course.root, "export", "--to", "theirs.csv").returncode == 0
    for name in ("ours.csv", "theirs.csv"):
        with (tmp_path / name).open(newline="", encoding="utf-8") as file:
            rows = {row["student_id"]: row for row in csv.DictReader(file)}
        assert float(rows["s01"]["score"]) == 9 and rows["s01"]["state"] == "unreadable"
        assert "earlier submission" in rows["s01"]["stale"]
        assert rows.get("s02", {"score": ""})["score"] == ""  # never graded: no score, which is not 0
    shown = kit("report", "a1", folder=tmp_path)
    assert shown.returncode == 0 and "earlier submission" in shown.stdout


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@x", "\t=1"])
def test_no_cell_of_an_export_is_a_formula(text: str):
    assert safe_cell(text) == "'" + text and safe_cell("a" + text) == "a" + text and safe_cell(-1) == -1


def test_changed_points_make_results_stale_until_they_are_graded_again(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    grade(course)
    set_points(course, "q1t", 5)
    assert "have changed since" in stands(course)["stale"]
    assert grade(course)["s01"]["score"] == 12 and stands(course)["stale"] == "" and len(runs) == 2


# ---------------------------------------------------------------- judge again, and what it changed


def test_kept_runs_are_judged_again_without_running_anything(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    put(handed_in(course, "s02"), tiny(q1="wrong"))
    grade(course)
    set_points(course, "q1t", 5)
    results = grade(course, rejudge=True)
    assert [r["score"] for r in results.values()] == [12, 0] and len(runs) == 2
    assert in_gradebook(course) == {"s01": 12, "s02": 0} and stands(course)["stale"] == ""
    found = {(row["student_id"], row["what"]): (row["before"], row["now"]) for row in changes(course, "a1")}
    assert found == {("s01", "q1t"): ((2, 2), (5, 5)), ("s02", "q1t"): ((0, 2), (0, 5))}
    shown = kit("report", "a1", "--diff", "--json", folder=tmp_path)
    assert [row["what"] for row in json.loads(shown.stdout)] == ["q1t", "q1t"]


def test_a_run_of_something_else_is_not_judged_again(tmp_path: Path, runs: list[int]):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    put(handed_in(course, "s02"), tiny())
    grade(course, "s01")
    changed = make_cases.source()
    cell(changed, "q1t").source += "\nassert square(0) == 0"
    put(course.root / "source" / "a1", changed)
    outcome = grade_assignment(course, "a1", seed_file=course.root / "seed", rejudge=True)
    assert outcome.results == {} and not outcome.all_graded and len(runs) == 1
    assert "other cells" in outcome.not_rejudged["s01"] and "no run" in outcome.not_rejudged["s02"]
    assert "have changed since" in stands(course)["stale"] and in_gradebook(course) == {"s01": 9}


# ---------------------------------------------------------------- what people wrote into the gradebook


def test_marks_given_by_hand_survive_and_are_shown_beside_another_automatic_score(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(handed_in(course), tiny(q1="wrong"))
    grade(course)
    mark_by_hand(course, "q1t", 1)
    mark_by_hand(course, "m4", 0.5)
    put(handed_in(course), tiny())
    grade(course)
    row = stands(course)
    assert row["score"] == 1 + 3 + 4 + 0.5 and "q1t: by hand 1, automatic 2" in row["remarks"]


def test_cells_come_and_go_while_marks_stay(tmp_path: Path, quick):
    course = make_course(tmp_path)
    for student in ("s01", "s02"):
        put(handed_in(course, student), tiny())
    grade(course)
    mark_by_hand(course, "m4", 0.5)
    mark_by_hand(course, "q1t", 1)
    changed = make_cases.source()
    changed.cells = [c for c in changed.cells if c.metadata.get("nbgrader", {}).get("grade_id") not in ("q1", "q1t")]
    changed.cells.append(new_code_cell("assert True", metadata=make_cases.md("more", True, False, True, 1)))
    put(course.root / "source" / "a1", changed)
    results = grade(course)
    assert [r["score"] for r in results.values()] == [8, 8] and in_gradebook(course) == {"s01": 8, "s02": 8}
    with opened(course.db_url()) as gradebook:
        assert marks(gradebook, "a1")["s01"].by_hand == [{"cell": "m4", "mark": 0.5, "automatic": None}]
    (line,) = (tmp_path / "results" / "removed-marks.jsonl").read_text().splitlines()
    assert json.loads(line) == {"assignment": "a1", "student": "s01", "cell": "q1t", "mark": 1}


@pytest.mark.slow
def test_a_release_after_an_edit_replaces_the_old_one_whole(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    assert nbgrader(course.root, "generate_assignment", "a1").returncode == 0
    grade(course)
    changed = make_cases.source()
    changed.cells.append(new_code_cell("assert True", metadata=make_cases.md("more", True, False, True, 1)))
    put(course.root / "source" / "a1", changed)
    done = nbgrader(course.root, "generate_assignment", "a1", "--force")
    released = tmp_path / "release" / "a1" / "p1.ipynb"
    assert done.returncode == 0 and '"more"' in released.read_text() and in_gradebook(course) == {"s01": 9}
    put(course.root / "source" / "a1", b"{")
    assert kit("release", "a1", folder=tmp_path).returncode != 0 and '"more"' in released.read_text()


# ---------------------------------------------------------------- interrupted, locked, full


def test_who_is_grading_is_told(tmp_path: Path, quick):
    from pt2e_kit.lock import only_grader

    course = make_course(tmp_path)
    put(handed_in(course), tiny())
    with only_grader(tmp_path / "results", "a1"), pytest.raises(RuntimeError, match=f"a1, by .* process {os.getpid()}"):
        grade(course)
    assert grade(course)["s01"]["score"] == 9


def test_folders_of_a_killed_grader_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from pt2e_kit.grading.temporary import new_folder, sweep

    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    gone = subprocess.Popen(["true"])
    gone.wait()
    (tmp_path / f"pt2e-{gone.pid}-x" / "work").mkdir(parents=True)
    others = [tmp_path / "pt2e-tests-x", tmp_path / f"else-{gone.pid}-x"]
    for path in others:
        path.mkdir()
    mine = new_folder()
    sweep()
    assert sorted(tmp_path.iterdir()) == sorted([*others, mine])


def everything(course: Course) -> dict[str, Any]:
    """All that grading leaves, without times."""
    found: dict[str, Any] = {}
    for student in ("s01", "s02", "s03"):
        result = read_result(course, "a1", student)
        assert result is not None
        found[student] = {k: v for k, v in result.items() if k not in ("graded_at", "seconds")}
        found[student]["autograded"] = sorted(p.name for p in (course.root / "autograded" / student).rglob("*"))
    with sqlite3.connect(course.root / "gradebook.db") as database:
        rows = database.execute(
            "select submitted_assignment.student_id, base_cell.name, grade.auto_score, grade.manual_score from grade "
            "join submitted_notebook on grade.notebook_id = submitted_notebook.id "
            "join submitted_assignment on submitted_notebook.assignment_id = submitted_assignment.id "
            "join base_cell on grade.cell_id = base_cell.id"
        )
        found["gradebook"] = sorted(rows)
    return found


def class_of_three(root: Path) -> Course:
    course = make_course(root)
    (root / "gradebook.db").unlink()  # making it is among what is interrupted
    put(handed_in(course, "s01"), tiny())
    put(handed_in(course, "s02"), tiny(q1="def square(x): return 0"))
    put(handed_in(course, "s03"), b"{")
    return course


GRADE = [sys.executable, "-m", "pt2e_kit", "grade", "a1", "--no-feedback", "--seed-file", "seed"]
GRADE += ["--unsafe-no-sandbox"] if bubblewrap() is None else []


@pytest.mark.slow
def test_a_grader_that_is_killed_at_any_moment_can_be_started_again(tmp_path: Path):
    """Twenty times SIGKILL, spread over the whole of a run; then a run to the end."""
    import random

    undisturbed = class_of_three(tmp_path / "undisturbed")
    (tmp_path / "undisturbed" / "seed").write_text("a class seed for this test")
    course = Course(shutil.copytree(undisturbed.root, tmp_path / "killed"))
    assert run(GRADE, undisturbed.root).returncode == 1  # s03 is unreadable
    moments = random.Random(4)
    for number in range(20):
        process = subprocess.Popen(
            [*GRADE, *(["--force"] if number % 2 else [])],
            cwd=course.root,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        try:
            process.wait(timeout=moments.uniform(0.5, 6))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    assert run(GRADE, course.root).returncode == 1
    assert everything(course) == everything(undisturbed)


@pytest.mark.slow
@pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap is not installed or does not work")
def test_a_full_disk_is_an_error_and_loses_nothing(tmp_path: Path):
    """The course lies on a file system of a few hundred kilobytes more than it takes."""
    course = class_of_three(tmp_path / "course")
    shutil.rmtree(tmp_path / "course" / "made")
    room = 500_000 + sum(p.stat().st_size for p in course.root.rglob("*") if p.is_file())
    inside = (
        "cp -r /from/. /course/ && cd /course && head -c 100M /dev/zero > filler 2>/dev/null; "
        '"$@" > first.txt 2>&1; echo $? > /out/first; cp first.txt /out/first.txt; rm filler; '
        '"$@" > /out/second.txt 2>&1; echo $? > /out/second; cp -r /course/. /out/course'
    )
    (tmp_path / "out" / "course").mkdir(parents=True)
    assert bubblewrap() is not None
    command = [str(bubblewrap()), "--dev-bind", "/", "/", "--bind", str(course.root), "/from"]
    command += ["--bind", str(tmp_path / "out"), "/out", "--size", str(20 * room), "--tmpfs", "/course"]
    done = run([*command, "sh", "-c", inside, "sh", *GRADE], tmp_path)
    assert done.returncode == 0, done.stderr
    told = (tmp_path / "out" / "first.txt").read_text()
    assert (tmp_path / "out" / "first").read_text().strip() == "1" and "Traceback" not in told
    assert (tmp_path / "out" / "second").read_text().strip() == "1", (tmp_path / "out" / "second.txt").read_text()
    again = Course(tmp_path / "out" / "course")
    assert everything(again)["s01"]["score"] == 9 and everything(again)["s02"]["score"] == 7
    assert read_result(again, "a1", "s03") is not None


def test_a_new_gradebook_is_there_whole_or_not_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import pt2e_kit.gradebook as module

    course = make_course(tmp_path)
    (tmp_path / "gradebook.db").unlink()

    class Killed(BaseException):
        pass

    real = module.Gradebook.check_course

    def die(*_arguments: Any, **_options: Any):
        raise Killed

    monkeypatch.setattr(module.Gradebook, "check_course", die)
    with pytest.raises(Killed):
        prepare_gradebook(course, "a1")
    assert not (tmp_path / "gradebook.db").exists()
    monkeypatch.setattr(module.Gradebook, "check_course", real)
    prepare_gradebook(course, "a1")
    assert (tmp_path / "gradebook.db").exists()


@pytest.mark.slow
@pytest.mark.skipif(bubblewrap() is None, reason="bubblewrap is not installed or does not work")
def test_ctrl_c_stops_at_once_and_keeps_what_is_recorded(tmp_path: Path):
    """s01 is recorded, the endless loop of s02 runs; then the interrupt that Ctrl-C sends."""
    course = make_course(tmp_path)
    for student, q1 in (("s01", make_cases.GOOD["q1"]), ("s02", "while True: pass")):
        put(tmp_path / "submitted" / student / "a1", tiny(q1=q1))
    process = subprocess.Popen(
        [*GRADE, "--jobs", "1"], cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True
    )
    end = time.monotonic() + 60
    while read_result(course, "a1", "s01") is None and time.monotonic() < end:
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _out, told = process.communicate(timeout=25)  # the loop alone would take 30 s
    assert process.returncode == 130 and "goes on where this one stopped" in told and "Traceback" not in told
    assert in_gradebook(course)["s01"] == 9 and read_result(course, "a1", "s02") is None
