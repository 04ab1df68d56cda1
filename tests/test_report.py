"""The report of a class: its figures, its page, its tables; nothing hostile in it, and no names where none are wanted."""

import csv
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from course_kit import grade, make_course
from grading_kit import put, tiny

from pt2e_kit.course import Course
from pt2e_kit.gradebook import opened
from pt2e_kit.grading.results import write_json
from pt2e_kit.record import read_result
from pt2e_kit.reports import measures
from pt2e_kit.reports.overview import overview
from pt2e_kit.reports.page import page, write_page
from pt2e_kit.reports.pictures import bars
from pt2e_kit.reports.tables import write_tables

HOSTILE = "<script>alert(1)</script><img src=http://x.invalid/>\u202e\x1b"


def change_result(course: Course, student: str, change: Any) -> None:
    """Rewrite a result, as if grading had found something else."""
    result = read_result(course, "a1", student)
    assert result is not None
    change(result)
    write_json(course.results("a1", student) / "results.json", result)


def say(result: dict[str, Any], symptom: str, misconception: str | None) -> None:
    finding = {"criterion": None, "misconception": misconception, "symptom": symptom, "why": "because"}
    result["notebooks"][0]["exercises"][0]["findings"].append(finding)


@pytest.fixture
def course(tmp_path: Path, quick) -> Course:
    """Three students: one right, one wrong, one unreadable; two with marks by hand."""
    made = make_course(tmp_path)
    for student, handed_in in (("ada", tiny()), ("bob", tiny(q1="wrong")), ("cleo", b"{")):
        put(tmp_path / "submitted" / student / "a1", handed_in)
    grade(made)
    return made


# ---------------------------------------------------------------- figures


def test_discrimination_is_pearsons_correlation_with_the_rest():
    assert measures.discrimination([0, 0, 1, 1], [1, 2, 3, 4]) == pytest.approx(2 / math.sqrt(5))
    assert measures.discrimination([1, 1, 0, 0], [1, 2, 3, 4]) == pytest.approx(-2 / math.sqrt(5))
    for undefined in (([1, 1, 1], [1, 2, 3]), ([0, 1, 1], [2, 2, 2]), ([0, 1], [1, 2]), ([], [])):
        assert measures.discrimination(*undefined) is None


def test_histogram_and_spread():
    assert measures.histogram([0, 0.05, 0.1, 0.3, 0.999, 1, 1.2]) == [2, 1, 0, 1, 0, 0, 0, 0, 0, 3]
    assert measures.spread([]) == {} and measures.spread([4])["standard deviation"] == 0
    found = measures.spread([1, 2, 3, 4])
    assert (found["lower quartile"], found["median"], found["upper quartile"]) == (1.75, 2.5, 3.25)


# ---------------------------------------------------------------- what is gathered


def test_what_a_class_did(course: Course):
    found = overview(course, "a1")
    assert [(r["student_id"], r["score"]) for r in found.students] == [("ada", 9), ("bob", 0), ("cleo", None)]
    assert (found.max_score, found.unscored, sum(found.histogram)) == (10, 1, 2)
    first = found.exercises[0]
    assert (first["exercise"], first["students"], first["full_marks"], first["mean"]) == ("q1t", 2, 1, 1)
    assert first["pass_rate"] == 0.5 and first["discrimination"] is None
    assert found.exercises[-1]["kind"] == "written" and found.exercises[-1]["students"] == 0
    told = {(r["what"], *r["students"]): r["text"] for r in found.to_look_at}
    assert "p1" in told["unreadable", "cleo"] and told["not marked yet", "ada", "bob"] == "m4"
    assert "nobody has marked yet: 2" in found.notices[0]


def test_marks_by_hand_are_in_the_figures(course: Course):
    with opened(course.db_url()) as gradebook:
        gradebook.find_grade("m4", "p1", "a1", "ada").manual_score = 1
        gradebook.find_grade("q1t", "p1", "a1", "bob").manual_score = 2
        gradebook.db.commit()
    found = {e["exercise"]: e for e in overview(course, "a1").exercises}
    assert (found["m4"]["students"], found["m4"]["mean"], found["q1t"]["full_marks"]) == (1, 1, 2)
    assert any(r["what"] == "marked by hand" and "bob" in r["students"] for r in overview(course, "a1").to_look_at)


def test_stale_scores_are_in_no_figure_of_an_exercise(course: Course):
    put(course.root / "submitted" / "ada" / "a1", b"{")
    grade(course)
    found = overview(course, "a1")
    assert found.exercises[0]["students"] == 1
    assert any(r["what"] == "stale" and r["students"] == ["ada"] for r in found.to_look_at)
    assert any("Stale scores: 1" in line for line in found.notices)


def test_misconceptions_are_counted_once_a_student_with_the_words_most_saw(course: Course):
    loop, stub = "m02_2.insert_after/self-loop", "m02_2.insert_after/stub"
    for symptom in ("A", "B", "B"):
        change_result(course, "ada", lambda r, symptom=symptom: say(r, symptom, loop))
    change_result(course, "bob", lambda r: (say(r, "B", loop), say(r, "S", stub), say(r, "x", "gone.away/x")))
    found = overview(course, "a1")
    assert [(r["students"], r["misconception"], r["symptom"]) for r in found.misconceptions] == [(2, loop, "B")]
    assert [r["misconception"] for r in found.other_reasons] == ["gone.away/x", stub]


def test_suspicions_limits_and_times_are_told(course: Course):
    kinds = ("suspicion", "limit", "time", "environment")
    notes = [{"kind": kind, "message": f"about {kind}"} for kind in kinds]
    change_result(course, "bob", lambda r: r["notes"].extend(notes))
    change_result(course, "ada", lambda r: r["notebooks"][0]["exercises"][1].update(status="died"))
    found = overview(course, "a1")
    look = {r["what"]: r["text"] for r in found.to_look_at}
    assert (look["suspicion"], look["time"]) == ("about suspicion", "about time")
    assert [r["text"] for r in found.limits] == ["q2t: the process died", "about limit"]
    assert any("about environment (1 of 3" in line for line in found.notices)


def test_nobody_has_handed_in_anything(tmp_path: Path):
    text = page(overview(make_course(tmp_path), "a1"))
    assert "Nobody has a score yet." in text and '<svg class="bars"' not in text


# ---------------------------------------------------------------- the page


class Tags(HTMLParser):
    """Collects tags, and whatever a page would load."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.loads: list[str] = []
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.loads += [f"{k}={v}" for k, v in attrs if k in ("src", "href", "data", "action") or k.startswith("on")]
        if tag not in ("meta", "br", "wbr", "rect", "line", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in ("rect", "line"):
            assert self.open.pop() == tag


def test_the_page_loads_nothing_and_is_whole(course: Course, tmp_path: Path):
    write_page(overview(course, "a1"), tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    found = Tags(text)
    assert not found.loads and not found.open and not found.tags & {"script", "link", "img", "iframe", "object"}
    assert "http" not in text.replace("http-equiv", "") and "url(" not in text and "@import" not in text
    assert 'role="img"' in text and "Students by score, in points: 1 from 0 to 1; 1 from 9 to 10." in text
    assert "Henrysson 1963" in text and "@media print" in text


def test_everything_hostile_is_escaped(course: Course, tmp_path: Path):
    def change(result: dict[str, Any]) -> None:
        say(result, HOSTILE, "m02_2.insert_after/self-loop")
        say(result, HOSTILE, HOSTILE)
        result["notes"] += [
            {"kind": kind, "message": HOSTILE} for kind in ("suspicion", "limit", "time", "environment")
        ]

    change_result(course, "ada", change)
    change_result(course, "cleo", lambda r: r["notebooks"][0].update(cause=HOSTILE, name=HOSTILE))
    (tmp_path / "adjustments.toml").write_text("[a1.exercises.q1t]\ndo = 'drop'\nwhy = '<script>why</script>'")
    text = page(overview(course, "a1"))
    found = Tags(text)
    assert not found.loads and not found.tags & {"script", "img"}
    assert text.count("&lt;script&gt;alert") >= 6 and "&lt;script&gt;why" in text
    assert "\u202e" not in text and "\x1b" not in text


def test_without_names_there_are_none(course: Course, tmp_path: Path):
    change_result(
        course,
        "bob",
        lambda r: r["notes"].extend([{"kind": k, "message": "of bob"} for k in ("limit", "time", "environment")]),
    )
    change_result(course, "bob", lambda r: say(r, "bob was raised", "m02_2.insert_after/raised"))
    (tmp_path / "adjustments.toml").write_text(
        "[a1]\ndue = 2026-01-10T23:00:00Z\n[a1.students.ada]\nextra_days = 1\nwhy = 'an illness'"
    )
    report = overview(course, "a1", names=False)
    tables = write_tables(report, tmp_path / "tables")
    for text in (page(report), *(path.read_text() for path in tables)):
        assert not re.search(r"\b(ada|bob|cleo)\b|illness", text)
    assert sorted(r["student_id"] for r in report.students) == ["no. 1", "no. 2", "no. 3"]
    with_names = page(overview(course, "a1"))
    assert "illness" in with_names and "of bob" in with_names


def test_numbers_are_given_out_at_random(course: Course):
    scores = set()
    for _again in range(60):
        scores.add(tuple(r["score"] for r in overview(course, "a1", names=False).students))
        if len(scores) > 1:
            return
    pytest.fail("sixty times the same order")


def test_a_picture_says_in_words_what_it_shows():
    text = str(bars([0, 3, 0, 1], 2))
    assert "<title" in text and "3 from 0.5 to 1; 1 from 1.5 to 2." in text and text.count("<rect") == 2


# ---------------------------------------------------------------- tables and commands


def test_no_cell_of_a_table_is_a_formula(course: Course, tmp_path: Path):
    change_result(course, "bob", lambda r: r["notes"].append({"kind": "suspicion", "message": "=1+1"}))
    change_result(course, "bob", lambda r: say(r, "@x", "m02_2.insert_after/self-loop"))
    paths = write_tables(overview(course, "a1"), tmp_path / "new" / "tables")
    assert [p.name for p in paths] == ["students.csv", "exercises.csv", "misconceptions.csv", "to-look-at.csv"]
    rows = [row for path in paths for row in csv.reader(path.open(newline="", encoding="utf-8"))]
    cells = [cell for row in rows for cell in row]
    assert "'=1+1" in cells and "'@x" in cells
    assert not [c for c in cells if c.startswith(("=", "+", "@"))]


def test_the_command_writes_and_shows(course: Course, tmp_path: Path, in_course):
    code, out, err = in_course("report", "a1", "--html", "r.html", "--csv", "t", "--no-names")
    assert code == 0, err
    assert "wrote r.html" in out and (tmp_path / "t" / "exercises.csv").is_file()
    assert not re.search(r"\bada\b", (tmp_path / "r.html").read_text())
    (tmp_path / "adjustments.toml").write_text("[a1.exercises.q1t]\ndo = 'drop'\nwhy = 'unclear'")
    code, out, err = in_course("report", "a1")
    assert code == 0 and "q1t: dropped (unclear)" in out and "adjusted" in out
    rows = json.loads(in_course("report", "a1", "--json")[1])
    assert [(r["score"], r["adjusted"]) for r in rows] == [(9, 7), (0, 0), (None, None)]
    (tmp_path / "adjustments.toml").write_text("[a1.exercise]")
    code, out, err = in_course("report", "a1")
    assert code == 2 and "Did you mean 'exercises'" in err
