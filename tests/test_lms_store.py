"""What `pt2e-kit collect` writes and keeps, its words, and nbgrader's `zip_collect` with the same answers."""

import os
from collections.abc import Callable
from datetime import UTC
from pathlib import Path

import pytest
from commands import ROOT, run, tree
from filelock import FileLock
from lms_kit import MOODLE, ONE, RECEIPT, TWO, Files, attempts, bring, lay, make_course, outcomes, pack, pack_tar

from pt2e_kit.cli import app
from pt2e_kit.grading.collect import collect as find_notebooks
from pt2e_kit.grading.times import configured_zone, named_zone, submitted_at
from pt2e_kit.lms.collecting import plan_download
from pt2e_kit.lms.store import carry_out

# ---------------------------------------------------------------- writing


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz", "folder"])
def test_collecting_twice_changes_nothing(tmp_path: Path, kind: str) -> None:
    course = make_course(tmp_path / "course")
    make: Callable[[Path, Files], Path] = {"zip": pack, "folder": lay}.get(kind, pack_tar)
    path = make(tmp_path / f"download.{kind}", MOODLE)
    assert set(outcomes(bring(course, path, dry_run=True)).values()) == {"collected"}
    assert not (course.root / "submitted").exists()
    assert set(outcomes(bring(course, path)).values()) == {"collected"}
    written = tree(course.root / "submitted")
    assert written == {
        "Ada Lovelace/a1/p1.ipynb": ONE,
        "Bob Byron/a1/sub/p1.ipynb": TWO,
        ".collecting.lock": b"",
    }
    for replace in (False, True):
        assert set(outcomes(bring(course, path, replace=replace)).values()) == {"already there"}
    assert tree(course.root / "submitted") == written
    assert set(course.submissions("a1")) == {"Ada Lovelace", "Bob Byron"}


def test_times_are_written_as_nbgrader_writes_them(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    path = lay(tmp_path / "download", {"HW_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE})
    assert outcomes(bring(course, path)) == {"ada": "collected"}
    place = course.root / "submitted" / "ada" / "a1"
    assert sorted(p.name for p in place.iterdir()) == ["p1.ipynb"]
    berlin = named_zone("Europe/Berlin")
    assert outcomes(bring(course, path, zone=berlin)) == {"ada": "time added"}
    assert (place / "timestamp.txt").read_text() == "2026-01-10 22:30:10.000000 UTC\n"
    assert submitted_at(place) == ("2026-01-10T22:30:10+00:00", [])
    assert outcomes(bring(course, path, zone=berlin)) == {"ada": "already there"}
    assert outcomes(bring(course, path)) == {"ada": "already there"}
    row = bring(course, path, zone=UTC)["ada"]
    assert row.outcome == "left" and "the same with another time is there" in row.remarks[0]


def test_a_different_submission_is_kept(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    submitted = course.root / "submitted"
    files = {"first": ONE, "second": TWO}
    paths = {n: lay(tmp_path / n, {"ada_11_9001_p1.ipynb": data}) for n, data in files.items()}
    bring(course, paths["first"])
    (submitted / "11" / "a1" / "mine.txt").write_text("a note of the instructor's")
    row = bring(course, paths["second"])["11"]
    assert row.outcome == "left" and "with --replace" in row.remarks[0]
    assert (submitted / "11" / "a1" / "p1.ipynb").read_bytes() == ONE

    assert outcomes(bring(course, paths["second"], replace=True, dry_run=True)) == {"11": "replaced"}
    assert (submitted / "11" / "a1" / "p1.ipynb").read_bytes() == ONE
    row = bring(course, paths["second"], replace=True)["11"]
    assert row.outcome == "replaced"
    assert tree(submitted / "11" / "a1") == {"p1.ipynb": TWO}
    (kept,) = (submitted / ".replaced" / "11" / "a1").iterdir()
    assert row.remarks[-1].endswith(f"submitted/.replaced/11/a1/{kept.name}")
    assert tree(kept) == {"p1.ipynb": ONE, "mine.txt": b"a note of the instructor's"}

    for name in ("first", "second", "first"):
        assert outcomes(bring(course, paths[name], replace=True)) == {"11": "replaced"}
    assert len(list((submitted / ".replaced" / "11" / "a1").iterdir())) == 4, "nothing is ever dropped"
    assert not list(submitted.glob(".collecting-*"))


def test_a_newer_submission_is_not_replaced_by_an_older_one(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    older = lay(tmp_path / "older", {"HW_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE})
    newer = lay(tmp_path / "newer", {"HW_ada_attempt_2026-01-11-23-30-10_p1.ipynb": TWO})
    bring(course, newer, zone=UTC)
    row = bring(course, older, zone=UTC, replace=True)["ada"]
    assert row.outcome == "left" and "is newer (2026-01-11 23:30:10.000000 UTC)" in row.remarks[0]
    assert (course.root / "submitted" / "ada" / "a1" / "p1.ipynb").read_bytes() == TWO


def test_two_attempts_without_a_time_are_both_kept_for_grading_to_tell(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    path = lay(tmp_path / "download", attempts("2026-01-10-23-30-10", "2026-01-11-23-30-10"))
    for _again in range(2):
        assert outcomes(bring(course, path)) == {"ada": "ambiguous"}
        place = course.submissions("a1")["ada"]
        assert tree(place) == {"attempt-1/p1.ipynb": ONE, "attempt-2/p1.ipynb": TWO}
    (found,) = find_notebooks(place, ["p1"], 2**20)
    assert found.problem and found.problem.state == "ambiguous"


def test_links_in_submitted_are_not_followed(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (course.root / "submitted").mkdir()
    (course.root / "submitted" / "Ada Lovelace").symlink_to(elsewhere)
    (course.root / "submitted" / "Bob Byron").mkdir()
    (course.root / "submitted" / "Bob Byron" / "a1").symlink_to(elsewhere)
    rows = bring(course, lay(tmp_path / "download", MOODLE), replace=True)
    assert set(outcomes(rows).values()) == {"left"} and "is a link" in rows["Ada Lovelace"].remarks[0]
    assert not list(elsewhere.iterdir())


def test_a_link_in_the_place_of_what_is_kept_is_not_followed(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    (tmp_path / "elsewhere").mkdir()
    bring(course, lay(tmp_path / "first", {"ada_11_9001_p1.ipynb": ONE}))
    (course.root / "submitted" / ".replaced").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RuntimeError, match="is a link; remove it"):
        bring(course, lay(tmp_path / "second", {"ada_11_9001_p1.ipynb": TWO}), replace=True)
    assert not list((tmp_path / "elsewhere").iterdir())
    assert (course.root / "submitted" / "11" / "a1" / "p1.ipynb").read_bytes() == ONE


def test_a_file_that_changes_meanwhile_is_not_written(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    path = lay(tmp_path / "download", MOODLE)
    with plan_download(course, "a1", path) as plan:
        lay(path, {next(n for n in MOODLE if n.startswith("Ada")): TWO})
        rows = {r.student: r for r in carry_out(plan, course.root / "submitted", "a1")}
    assert outcomes(rows) == {"Ada Lovelace": "left", "Bob Byron": "collected"}
    assert "changed while it was read" in rows["Ada Lovelace"].remarks[0]
    assert not (course.root / "submitted" / "Ada Lovelace").exists()


def test_what_a_killed_process_left_is_cleared_away_and_two_do_not_mix(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    submitted = course.root / "submitted"
    lay(submitted, {".collecting-x/0/p1.ipynb": ONE})
    path = lay(tmp_path / "download", MOODLE)
    with FileLock(submitted / ".collecting.lock"), pytest.raises(RuntimeError, match="another process is collecting"):
        bring(course, path)
    assert (submitted / ".collecting-x").exists() and not (submitted / "Bob Byron").exists()
    bring(course, path)
    assert not (submitted / ".collecting-x").exists()


def test_a_student_of_the_same_name_but_for_case(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    lay(course.root / "submitted", {"ada lovelace/a1/p1.ipynb": ONE})
    row = bring(course, lay(tmp_path / "download", MOODLE), replace=True)["Ada Lovelace"]
    assert row.outcome == "left" and "differs in case or accents only" in row.remarks[0]


def test_an_empty_folder_is_no_submission(tmp_path: Path) -> None:
    course = make_course(tmp_path / "course")
    (course.root / "submitted" / "Ada Lovelace" / "a1").mkdir(parents=True)
    assert bring(course, lay(tmp_path / "download", MOODLE))["Ada Lovelace"].outcome == "collected"
    assert (course.root / "submitted" / "Ada Lovelace" / "a1" / "p1.ipynb").read_bytes() == ONE


def test_what_is_kept_is_nobodys_submission(tmp_path: Path) -> None:
    """Neither for the kit nor for nbgrader."""
    from nbgrader.apps.api import NbGraderAPI

    course = make_course(tmp_path / "course")
    lay(course.root / "submitted", {".replaced/old/a1/abc/p1.ipynb": ONE, ".replaced/a1/p1.ipynb": ONE})
    lay(course.root / "submitted", {"ada/a1/p1.ipynb": ONE})
    assert set(course.submissions("a1")) == {"ada"}
    directory, config = course.nbgrader("a1")
    assert NbGraderAPI(directory, config=config).get_submitted_students("a1") == {"ada"}
    assert NbGraderAPI(directory, config=config).get_submitted_students("*") == {"ada"}


def test_the_zone_of_the_course(tmp_path: Path) -> None:
    line = "c = get_config()\n{}\n"
    assert configured_zone(make_course(tmp_path / "1", line.format("")).config()) is None, "UTC would be a guess"
    zone = configured_zone(make_course(tmp_path / "2", line.format("c.Exchange.timezone = 'Europe/Berlin'")).config())
    assert str(zone) == "Europe/Berlin"
    with pytest.raises(ValueError, match=r"c.Exchange.timezone: there is no time zone 'CET-1'"):
        configured_zone(make_course(tmp_path / "3", line.format("c.Exchange.timezone = 'CET-1'")).config())


# ---------------------------------------------------------------- the command


@pytest.fixture
def kit(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    """Run the command line in this process; returns exit code, stdout and stderr."""
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("PATH", os.environ["PATH"])

    def kit(folder: Path, *arguments: str | Path) -> tuple[int, str, str]:
        monkeypatch.chdir(folder)
        with pytest.raises(SystemExit) as left:
            app([str(a) for a in arguments])
        told = capsys.readouterr()
        return int(left.value.code or 0), told.out, told.err

    return kit


def test_the_command(tmp_path: Path, kit: Callable[..., tuple[int, str, str]]) -> None:
    course = make_course(tmp_path / "course", "c = get_config()\nc.Exchange.timezone = 'Europe/Berlin'\n")
    (tmp_path / "class.csv").write_text("user,student_id\nada,s01\n")
    path = pack(tmp_path / "download.zip", {"HW_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE})
    arguments = ("collect", "a1", path, "--from", "blackboard", "--students", tmp_path / "class.csv")
    code, out, err = kit(course.root, *arguments, "--dry-run")
    assert code == 0 and "nothing was written" in out and not (course.root / "submitted").exists()
    code, out, err = kit(course.root, *arguments)
    assert code == 0 and not err
    assert "collected" in out and "2026-01-10 22:30:10.000000 UTC" in out and "to look at: 0" in out
    code, out, err = kit(course.root, *arguments)
    assert code == 0 and "already there" in out
    code, out, err = kit(course.root, *arguments, "--timezone", "UTC")
    assert code == 1 and "left" in out and "to look at: 1" in out


def test_hostile_names_do_not_steer_the_terminal(tmp_path: Path, kit: Callable[..., tuple[int, str, str]]) -> None:
    course = make_course(tmp_path / "course")
    path = pack(tmp_path / "download.zip", {"[red]\x1b[2J\u202e.ipynb": ONE})
    code, out, _err = kit(course.root, "collect", "a1", path)
    assert code == 1
    assert "[red]\\x1b[2J\\u202e.ipynb" in out and "\x1b" not in out


def test_usage_is_told_in_one_line(tmp_path: Path, kit: Callable[..., tuple[int, str, str]]) -> None:
    course = make_course(tmp_path / "course")
    path = lay(tmp_path / "download", MOODLE)
    (tmp_path / "bad.csv").write_text("x")
    (tmp_path / "bad.zip").write_text("x")
    for arguments, words in (
        (("a9", path), "no assignment 'a9'"),
        (("a1", tmp_path / "gone"), "no such file"),
        (("a1", tmp_path / "bad.zip"), "cannot be opened as zip, tar or tar.gz"),
        (("a1", path, "--from", "x"), "none of auto, moodle"),
        (("a1", path, "--students", tmp_path / "bad.csv"), "name the columns"),
        (("a1", path, "--students", tmp_path / "gone.csv"), "gone.csv: No such file"),
        (("a1", path, "--timezone", "CET+1"), "no time zone 'CET+1'"),
    ):
        code, out, err = kit(course.root, "collect", *arguments)
        assert code == 2 and not out, arguments
        assert words in err and len(err.splitlines()) == 1
    assert not (course.root / "submitted").exists()
    code, out, err = kit(course.root, "collect", "a1", lay(tmp_path / "empty", {}))
    assert code == 1 and "there is no file in" in out


@pytest.mark.slow
def test_nbgraders_zip_collect_gives_the_same_answers(tmp_path: Path) -> None:
    """With the configuration of this course, which names our collector."""
    config = (ROOT / "nbgrader_config.py").read_text() + "\nc.Exchange.timezone = 'Europe/Berlin'\n"
    files: Files = {
        "HW_1_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE,
        "HW_1_ada_attempt_2026-01-11-08-00-00_p1.ipynb": TWO,
        "HW_1_ada_attempt_2026-01-11-08-00-00.txt": RECEIPT.format(id="ada"),
        "HW_1_bob_attempt_2026-10-25-02-30-00_p1.ipynb": ONE,
        "HW_1_bob_attempt_2026-10-25-02-30-00.txt": RECEIPT.format(id="bob"),
        "HW_1_x_y_attempt_2026-01-10-23-30-10_p1.ipynb": ONE,
    }
    ours, stock = (make_course(tmp_path / name, config) for name in ("ours", "stock"))
    archive = pack(tmp_path / "download.zip", files)
    rows = bring(ours, archive, zone=named_zone("Europe/Berlin"))
    assert outcomes(rows) == {"ada": "collected", "bob": "collected", "HW_1_x_y": "left"}
    inbox = stock.root / "downloaded" / "a1" / "archive"
    inbox.mkdir(parents=True)
    (inbox / "download.zip").write_bytes(archive.read_bytes())
    (stock.root / "release" / "a1").mkdir(parents=True)
    done = run(["nbgrader", "zip_collect", "a1"], stock.root)
    assert done.returncode == 0, done.stderr
    collected, expected = tree(stock.root / "submitted"), tree(ours.root / "submitted")
    assert expected.pop(".collecting.lock") == b""
    assert set(collected) == set(expected)
    for student, moment in (("ada", "2026-01-11T07:00:00+00:00"), ("bob", None)):
        assert collected[f"{student}/a1/p1.ipynb"] == expected[f"{student}/a1/p1.ipynb"]
        for course in (ours, stock):
            assert submitted_at(course.root / "submitted" / student / "a1") == (moment, [])
    assert "HW_1_x_y" in done.stderr and "read in several ways" in done.stderr
