"""adjustments.toml: what it may say, what follows from it, and that the scores themselves stay as they are."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from course_kit import grade, in_gradebook, make_course
from grading_kit import kit_source, put, tiny

from pt2e_kit.course import Course
from pt2e_kit.reports.adjusted import standing
from pt2e_kit.reports.adjustments import Adjustments, Late, read_adjustments
from pt2e_kit.reports.lateness import lateness

DUE = datetime(2026, 1, 10, 23, 0, tzinfo=UTC)
DUE_LINE = "[a1]\ndue = 2026-01-10T23:00:00Z\n"


def adjust(course: Course, text: str) -> None:
    (course.root / "adjustments.toml").write_text(text, encoding="utf-8")


def hand_in(course: Course, student: str, moment: str = "", **answers: str) -> None:
    folder = put(course.root / "submitted" / student / "a1", tiny(**answers))
    if moment:
        (folder / "timestamp.txt").write_text(moment)


def row(course: Course, student: str = "s01") -> dict[str, Any]:
    (found,) = (r for r in standing(course, "a1").rows if r["student_id"] == student)
    return found


# ---------------------------------------------------------------- what the file may say


def test_without_a_file_nothing_changes(tmp_path: Path, quick):
    course = make_course(tmp_path)
    hand_in(course, "s01")
    hand_in(course, "s02")
    put(course.root / "submitted" / "s02" / "a1", b"{")
    grade(course)
    assert read_adjustments(course, "a1") == Adjustments() and not read_adjustments(course, "a1")
    assert (row(course)["adjusted"], row(course)["adjusted_max"], row(course)["why"]) == (9, 10, "")
    assert (row(course, "s02")["adjusted"], row(course, "s02")["adjusted_max"]) == (None, None)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[a1", "adjustments.toml is no TOML: "),
        ("[a2]", "no assignment 'a2'. There are: a1"),
        ("a1 = 3", r"\[a1\] has to be a table, not 3"),
        ("[a1]\nlates = 3", r"\[a1\]: there is no key 'lates'. Did you mean 'late'"),
        ("[a1]\ndue = 'soon'", r"\[a1\], due: the time is not understood.*2026-01-10T23:30:00\+00:00"),
        ("[a1]\ndue = 2026-01-10T23:00:00", r"\[a1\], due: the time has no time zone"),
        ("[a1]\ndue = 2026-01-10", r"\[a1\], due: the time is not understood"),
        ("[a1.late]\npercent_per_day = 10", r"\[a1.late\] needs to know when it is due, as in: due = "),
        (DUE_LINE + "[a1.late]\ngrace_minutes = 5", "needs percent_per_day or cut_off_days"),
        (DUE_LINE + "[a1.late]\npercent_per_day = 200", r"\[a1.late\]: percent_per_day has to lie between 0 and 100"),
        (DUE_LINE + "[a1.late]\npercent_per_day = true", "percent_per_day has to be a number"),
        (DUE_LINE + "[a1.late]\npercent_per_day = nan", "percent_per_day has to be a number"),
        (DUE_LINE + "[a1.late]\npercent_per_day = 1\nof = 'all'", 'neither "score" nor "maximum"'),
        (DUE_LINE + "[a1.late]\ngrace_minutes = 5\ncut_off_days = 0", "cut_off_days ends before grace_minutes"),
        ("[a1.exercises.q9t]\ndo = 'drop'\nwhy = 'x'", "no exercise 'q9t'. Did you mean 'q3t'|'q2t'|'q1t'"),
        ("[a1.exercises.q1t]\ndo = 'remove'\nwhy = 'x'", r"q1t\]: do = 'remove' is neither"),
        ("[a1.exercises.q1t]\ndo = 'drop'", r"\[a1.exercises.q1t\]: say why"),
        ("[a1.students.s01]\nwhy = 'ill'", "needs one of due and extra_days"),
        ("[a1.students.s01]\nextra_days = 2\nwhy = 'ill'", r"\[a1.students.s01\] needs to know when it is due"),
        (DUE_LINE + "[a1.students.s01]\nextra_days = -2\nwhy = 'ill'", "extra_days has to lie between 0"),
        ("[a1.students]\ns01 = 3", r"\[a1.students.s01\] has to be a table"),
    ],
)
def test_what_it_cannot_say_is_told(tmp_path: Path, text: str, words: str):
    course = make_course(tmp_path)
    adjust(course, text)
    with pytest.raises(ValueError, match=words) as told:
        read_adjustments(course, "a1")
    assert str(told.value).startswith("adjustments.toml")


def test_what_is_in_no_score_cannot_be_adjusted(tmp_path: Path):
    course = make_course(tmp_path)
    kit_source(tmp_path).rename(tmp_path / "source" / "a2")
    adjust(course, '[a2.exercises."m02_2.switch_story"]\ndo = "drop"\nwhy = "x"')
    with pytest.raises(
        ValueError, match=r'\[a2.exercises."m02_2.switch_story"\]: prediction exercises are in no score'
    ):
        read_adjustments(course, "a2")
    assert read_adjustments(course, "a1") == Adjustments()
    adjust(course, '[a2.exercises."m02_2.insert_after"]\ndo = "drop"\nwhy = "x"')
    assert list(read_adjustments(course, "a2").exercises) == ["m02_2.insert_after"]


# ---------------------------------------------------------------- exercises


def test_dropped_and_full_marks_are_undone_by_taking_them_out(tmp_path: Path, quick):
    course = make_course(tmp_path)
    hand_in(course, "s01", q1="wrong")
    grade(course)
    before = in_gradebook(course), (course.results("a1", "s01") / "results.json").read_bytes()
    adjust(course, "[a1.exercises.q1t]\ndo = 'full marks'\nwhy = 'unclear'\n[a1.exercises.m4]\ndo = 'drop'\nwhy = 'x'")
    now = row(course)
    assert (now["score"], now["max_score"]) == (0, 10)  # the error stands in every cell of this pretended run
    assert (now["adjusted"], now["adjusted_max"]) == (2, 9)
    assert now["why"] == "q1t: full marks for all (unclear); m4: dropped (x)"
    assert (in_gradebook(course), (course.results("a1", "s01") / "results.json").read_bytes()) == before
    (tmp_path / "adjustments.toml").unlink()
    assert (row(course)["adjusted"], row(course)["adjusted_max"], row(course)["why"]) == (0, 10, "")


def test_a_mark_by_hand_is_dropped_with_its_exercise(tmp_path: Path, quick):
    from pt2e_kit.gradebook import opened

    course = make_course(tmp_path)
    hand_in(course, "s01")
    grade(course)
    with opened(course.db_url()) as gradebook:
        gradebook.find_grade("m4", "p1", "a1", "s01").manual_score = 1
        gradebook.db.commit()
    assert row(course)["adjusted"] == row(course)["score"] == 10
    adjust(course, "[a1.exercises.m4]\ndo = 'drop'\nwhy = 'x'")
    assert (row(course)["adjusted"], row(course)["adjusted_max"], row(course)["score"]) == (9, 9, 10)


# ---------------------------------------------------------------- lateness


@pytest.mark.parametrize(
    ("after", "percent"),
    [
        (timedelta(0), 0),
        (timedelta(minutes=15), 0),  # the grace period's last moment
        (timedelta(minutes=15, seconds=1), 10),
        (timedelta(days=1), 10),
        (timedelta(days=1, seconds=1), 20),
        (timedelta(days=5), 50),
        (timedelta(days=5, seconds=1), 100),
    ],
)
def test_days_begin_and_end_at_a_moment(after: timedelta, percent: float):
    rule = Late(timedelta(minutes=15), 10, cut_off=timedelta(days=5))
    found = lateness(rule, DUE, (DUE + after).isoformat())
    assert found.percent == percent and bool(found.why) == (percent > 0)


@pytest.mark.parametrize("moment", [None, "", "yesterday", "2026-01-12T10:00:00"])
def test_a_time_that_is_not_known_costs_nothing_and_is_told(moment: str | None):
    found = lateness(Late(percent_per_day=10), DUE, moment)
    assert found.percent == 0 and "not known when" in found.why


def test_a_strange_time_costs_nothing_and_is_told():
    found = lateness(Late(percent_per_day=10), DUE, "2036-01-12T10:00:00+00:00", "2026-01-13T10:00:00+00:00")
    assert found.percent == 0 and "in the future" in found.why


def test_zones_are_minded_and_nothing_goes_below_zero():
    assert lateness(Late(percent_per_day=10), DUE, "2026-01-11T00:30:00+02:00").percent == 0
    assert lateness(Late(percent_per_day=60), DUE, "2026-01-12T10:00:00+02:00").percent == 100


def test_late_work_and_more_time(tmp_path: Path, quick):
    course = make_course(tmp_path)
    for student in ("s01", "s02"):
        hand_in(course, student, "2026-01-12T10:00:00Z")
    hand_in(course, "s03")
    grade(course)
    text = DUE_LINE + "[a1.late]\npercent_per_day = 10\n[a1.students.s02]\nextra_days = 3\nwhy = 'was ill'\n"
    adjust(course, text + "[a1.students.s99]\ndue = 2026-01-10T23:00:00Z\nwhy = 'x'")
    assert row(course)["adjusted"] == 7.2 and "1 d 11 h late: 20 % of the score" in row(course)["why"]
    assert (
        row(course, "s02")["adjusted"] == 9
        and "more time, until 2026-01-13T23:00+00:00 (was ill)" in row(course, "s02")["why"]
    )
    assert row(course, "s03")["adjusted"] == 9 and "not known when" in row(course, "s03")["why"]
    assert standing(course, "a1").nobody == ["s99"]
    adjust(course, DUE_LINE + "[a1.late]\npercent_per_day = 10\nof = 'maximum'")
    assert row(course)["adjusted"] == 7 and "20 % of the maximum" in row(course)["why"]
    adjust(course, DUE_LINE + "[a1.late]\ncut_off_days = 1")
    assert row(course)["adjusted"] == 0 and "after the cut-off" in row(course)["why"]


def test_an_earlier_score_is_as_late_as_its_own_submission(tmp_path: Path, quick):
    """What was handed in last, and late, cannot be read; the score of the one before, in time, stands."""
    course = make_course(tmp_path)
    adjust(course, DUE_LINE + "[a1.late]\npercent_per_day = 10")
    hand_in(course, "s01", "2026-01-10T10:00:00Z")
    grade(course)
    folder = put(course.root / "submitted" / "s01" / "a1", b"{")
    (folder / "timestamp.txt").write_text("2026-01-12T10:00:00Z")
    grade(course)
    assert (row(course)["state"], row(course)["adjusted"], row(course)["why"]) == ("unreadable", 9, "")


def test_the_example_of_the_documentation_is_read(tmp_path: Path):
    import re
    import shutil

    from grading_kit import ROOT

    import pt2e_kit.reports.adjustments as module

    shutil.copytree(ROOT / "source" / "m02_by_hand", tmp_path / "source" / "m02_by_hand")
    shutil.copyfile(ROOT / "nbgrader_config.py", tmp_path / "nbgrader_config.py")
    course = Course(tmp_path)
    for text in ((ROOT / "docs" / "reports.md").read_text(encoding="utf-8"), module.__doc__ or ""):
        (example,) = re.findall(r"```toml\n(.*?)```", text, re.DOTALL)
        adjust(course, example)
        found = read_adjustments(course, "m02_by_hand")
        assert found.late is not None and found.late.percent_per_day == 10 and found.late.grace == timedelta(minutes=15)
        assert list(found.exercises) == ["m02_2.insert_after"] and list(found.students) == ["ada"]
        due = found.due_for("ada")
        assert due is not None and due.isoformat() == "2026-01-13T23:59:00+01:00"


def test_nbgraders_export_has_the_adjusted_score_too(tmp_path: Path, quick, monkeypatch: pytest.MonkeyPatch):
    import csv

    from pt2e_kit.gradebook import opened
    from pt2e_kit.standing import KitExportPlugin

    course = make_course(tmp_path)
    hand_in(course, "s01")
    grade(course)
    adjust(course, "[a1.exercises.q1t]\ndo = 'drop'\nwhy = 'unclear'")
    monkeypatch.chdir(tmp_path)
    plugin = KitExportPlugin()
    plugin.to = "grades.csv"
    with opened(course.db_url()) as gradebook:
        plugin.export(gradebook)
    (found,) = csv.DictReader((tmp_path / "grades.csv").open(newline="", encoding="utf-8"))
    assert (found["score"], found["adjusted"], found["adjusted_max"]) == ("9.0", "7.0", "8.0")
    assert found["why"] == "q1t: dropped (unclear)"
