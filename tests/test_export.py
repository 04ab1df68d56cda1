"""Scores for Moodle and Canvas, and feedback in one zip: right people, right numbers, and everybody left is told."""

import csv
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest
from course_kit import grade, make_course
from grading_kit import put, tiny

from pt2e_kit.course import Course
from pt2e_kit.gradebook import opened
from pt2e_kit.lms.names import Moodle
from pt2e_kit.lms.students import Students
from pt2e_kit.record import write_feedback
from pt2e_kit.reports import canvas, moodle
from pt2e_kit.reports.exporting import Wish, check, export_feedback, export_scores
from pt2e_kit.reports.feedback import still
from pt2e_kit.reports.sheets import points, read_sheet

WORKSHEET = """\ufeffIdentifier,"Full name","ID number","Email address",Status,Grade,"Maximum Grade","Grade can be changed","Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 101","Ada Lovelace",ada,ada@x.invalid,"Submitted for grading",,10.00,Yes,"Saturday, 10 January 2026, 11:00 PM",-,
"Participant 102","Bob ""B"" Babbage",bob,b@x.invalid,"Submitted for grading",3.00,10.00,Yes,-,"Monday, 12 January 2026, 9:00 AM",=mine
"Participant 103","Cleo, Jr.",cleo,c@x.invalid,Draft,,10.00,Yes,-,-,
"Participant 104","Dan Nobody",dan,d@x.invalid,"No submission",,10.00,Yes,-,-,
"""
GRADEBOOK = """Student,ID,SIS User ID,SIS Login ID,Section,Notes,a1 (77),Homework (78),Final Score
,,,,,,Manual Posting,,
    Points Possible,,,,,,10,5,(read only)
"Lovelace, Ada",11,S1,ada,Group 1,note,,4,80
"Babbage, Bob",12,S2,bob,Group 1,,3,5,90
"Student, Test",99,,abcdef,Group 1,,,,
"""


def standing(student: str, score: float | None = 9.0, stale: str = "", most: float | None = 10.0) -> dict[str, Any]:
    state = "graded" if score is not None else "unreadable"
    return {"student_id": student, "state": state, "stale": stale, "adjusted": score, "adjusted_max": most}


def sheet_file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "given.csv"
    path.write_text(text, encoding="utf-8")
    return path


ROWS = [standing("ada", 7.25), standing("bob", 0.0), standing("cleo", None, most=None)]


# ---------------------------------------------------------------- tables that are given


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_comes_back_as_it_was(tmp_path: Path, separator: str):
    text = f'\ufeffA{separator}"B ""b"""{separator}C\n"two\nlines"{separator}-{separator}=1\u2028x\n'
    sheet = read_sheet(sheet_file(tmp_path, text))
    sheet.write(tmp_path / "out.csv")
    assert (
        read_sheet(tmp_path / "out.csv").rows == sheet.rows == [["A", 'B "b"', "C"], ["two\nlines", "-", "=1\u2028x"]]
    )
    assert (tmp_path / "out.csv").read_bytes().startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "no table"),
        (b"one column\n", "no table"),
        (b"a,\xff\n", "not UTF-8"),
        (b"a,b\n1,2,3\n", "row 2 has more columns"),
        (b'a,b\n"1,2\n', "line 2: unexpected end"),
    ],
)
def test_what_is_no_table_is_told(tmp_path: Path, data: bytes, words: str):
    (tmp_path / "x.csv").write_bytes(data)
    with pytest.raises(ValueError, match=words):
        read_sheet(tmp_path / "x.csv")


def test_points_are_written_with_a_point_and_two_decimals():
    assert [points(x) for x in (0, 10, 7.25, 1 / 3, 100)] == ["0", "10", "7.25", "0.33", "100"]


# ---------------------------------------------------------------- Moodle


def test_a_worksheet_is_filled_and_nothing_else_in_it_changes(tmp_path: Path):
    sheet = read_sheet(sheet_file(tmp_path, WORKSHEET))
    before = [list(row) for row in sheet.rows]
    outcome = moodle.fill_worksheet(sheet, ROWS, None)
    assert outcome.written == ["ada", "bob"]
    assert dict(outcome.left) == {"cleo": "no score (unreadable)", "Dan Nobody": "is nobody known here"}
    at = before[0].index("Grade")
    assert [row[at] for row in sheet.rows[1:]] == ["7.25", "0", "", ""]
    for old, new in zip(before, sheet.rows, strict=True):
        assert old[:at] + old[at + 1 :] == new[:at] + new[at + 1 :]


def test_stale_scores_are_left_unless_they_are_asked_for(tmp_path: Path):
    rows = [standing("ada", stale="handed in anew"), standing("eve")]
    sheet = read_sheet(sheet_file(tmp_path, WORKSHEET))
    outcome = moodle.fill_worksheet(sheet, rows, None)
    assert not outcome.written and ("ada", "stale: handed in anew") in outcome.left
    assert ("eve", "is not in the sheet") in outcome.left
    assert moodle.fill_worksheet(sheet, rows, None, with_stale=True).written == ["ada"]


def test_another_maximum_is_an_error_or_scaled(tmp_path: Path):
    sheet = read_sheet(sheet_file(tmp_path, WORKSHEET.replace("10.00", "100.00")))
    with pytest.raises(ValueError, match=r"the most is 100 there and 10 here.*--scale"):
        moodle.fill_worksheet(sheet, ROWS, None)
    moodle.fill_worksheet(sheet, ROWS, None, scale=True)
    assert sheet.rows[1][5] == "72.5"


def test_the_students_file_has_the_last_word(tmp_path: Path):
    (tmp_path / "class.csv").write_text("name,student_id\nAda Lovelace,bob\n101,bob\n102,ada\n104,dan\n")
    sheet = read_sheet(sheet_file(tmp_path, WORKSHEET))
    outcome = moodle.fill_worksheet(sheet, ROWS, Students.read(tmp_path / "class.csv"))
    assert [row[5] for row in sheet.rows[1:3]] == ["0", "7.25"] and outcome.written == ["bob", "ada"]
    assert {"Cleo, Jr.", "Dan Nobody"} <= {who for who, _why in outcome.left}


def test_who_cannot_be_told_apart_is_left(tmp_path: Path):
    text = WORKSHEET.replace("Participant 102", "Participant 7").replace(",bob,", ",ada,")
    outcome = moodle.fill_worksheet(read_sheet(sheet_file(tmp_path, text)), ROWS, None)
    assert not outcome.written and ("ada", "stands in two rows") in outcome.left
    rows = [standing("ada"), standing("Ada")]
    outcome = moodle.fill_worksheet(read_sheet(sheet_file(tmp_path, WORKSHEET)), rows, None)
    assert ("Ada Lovelace", "could be Ada, ada") in outcome.left
    text = WORKSHEET.replace("ada@x.invalid", "bob")
    outcome = moodle.fill_worksheet(read_sheet(sheet_file(tmp_path, text)), ROWS, None)
    assert ("Ada Lovelace", "could be ada, bob") in outcome.left


def test_worksheets_in_another_language_and_locked_grades(tmp_path: Path):
    text = WORKSHEET.replace("Participant", "Teilnehmer/in").replace("Status,Grade", "Status,Bewertung")
    with pytest.raises(
        ValueError, match=r"no column 'Grade'; name one with --column. There are: Identifier, .*Bewertung"
    ):
        moodle.fill_worksheet(read_sheet(sheet_file(tmp_path, text)), ROWS, None)
    sheet = read_sheet(sheet_file(tmp_path, text.replace("10.00,Yes", "10.00,No", 1)))
    outcome = moodle.fill_worksheet(sheet, ROWS, None, column="Bewertung")
    assert outcome.written == ["bob"] and ("ada", "Moodle does not let this grade be changed") in outcome.left
    with pytest.raises(ValueError, match="no grading worksheet"):
        moodle.fill_worksheet(read_sheet(sheet_file(tmp_path, "Name,Grade\nAda,3\n")), ROWS, None)


def test_feedback_folders_are_named_as_moodle_reads_them(tmp_path: Path):
    from pt2e_kit.reports.sheets import Outcome

    text = WORKSHEET.replace("Ada Lovelace", "Ada_1/.. Lovelace")
    folders = moodle.feedback_folders(read_sheet(sheet_file(tmp_path, text)), ["ada", "bob"], None, Outcome())
    assert folders["bob"] == "Bob  B  Babbage_102_assignsubmission_file_"
    for student, folder in folders.items():
        parts = folder.split("_", 4)  # as importziplib.php does
        assert parts[1:] == [{"ada": "101", "bob": "102"}[student], "assignsubmission", "file", ""]
        assert "/" not in folder and Moodle().read(f"{folder}/p1.html") is not None


# ---------------------------------------------------------------- Canvas


def test_a_gradebook_gives_a_table_with_the_one_assignment(tmp_path: Path):
    given = read_sheet(sheet_file(tmp_path, GRADEBOOK))
    sheet, outcome = canvas.fill_gradebook(given, ROWS, None, column="a1")
    assert sheet.rows == [
        ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "a1 (77)"],
        ["    Points Possible", "", "", "", "", "10"],
        ["Lovelace, Ada", "11", "S1", "ada", "Group 1", "7.25"],
        ["Babbage, Bob", "12", "S2", "bob", "Group 1", "0"],
    ]
    assert ("Student, Test", "is nobody known here") in outcome.left
    rows = [standing("11", 5.0), standing("12", 2.0, stale="old")]
    sheet, outcome = canvas.fill_gradebook(given, rows, None, column="Homework (78)", scale=True)
    assert [row[-1] for row in sheet.rows[2:]] == ["2.5"] and ("12", "stale: old") in outcome.left


@pytest.mark.parametrize(
    ("text", "column", "words"),
    [
        (GRADEBOOK, "a2", r"has no column 'a2'; name one with --column. There are: Notes, a1 \(77\), Homework"),
        (GRADEBOOK.replace("Homework", "a1"), "a1", "several columns 'a1'"),
        (WORKSHEET, "a1", "no gradebook that Canvas exported"),
        (GRADEBOOK.replace(",10,5,", ",20,5,"), "a1", "the most is 20 there and 10 here"),
    ],
)
def test_a_gradebook_that_does_not_fit_is_told(tmp_path: Path, text: str, column: str, words: str):
    with pytest.raises(ValueError, match=words):
        canvas.fill_gradebook(read_sheet(sheet_file(tmp_path, text)), ROWS, None, column=column)


def test_without_a_gradebook_it_must_be_said_what_ids_are():
    with pytest.raises(ValueError, match=r'give the exported gradebook with --into, or say with --ids.*"SIS Login ID"'):
        canvas.new_table(ROWS, {}, column="a1", ids=None)
    people = {"ada": {"first_name": "Ada", "last_name": "=Lovelace", "email": ""}}
    sheet, _outcome = canvas.new_table(ROWS, people, column="a1", ids="SIS Login ID")
    assert sheet.rows[0] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "a1"]
    assert sheet.rows[2:] == [["'=Lovelace, Ada", "", "", "ada", "", "7.25"], ["bob", "", "", "bob", "", "0"]]


# ---------------------------------------------------------------- a whole course


@pytest.fixture
def course(tmp_path: Path, quick) -> Course:
    """Ada is right; Bob's second submission cannot be read; Cleo's first one neither."""
    made = make_course(tmp_path)
    for student, handed_in in (("ada", tiny()), ("bob", tiny()), ("cleo", b"{")):
        put(tmp_path / "submitted" / student / "a1", handed_in)
    grade(made)
    write_feedback(made, "a1")
    put(tmp_path / "submitted" / "bob" / "a1", b"{")
    grade(made)
    return made


def rows_of(course: Course) -> list[dict[str, Any]]:
    from pt2e_kit.reports.adjusted import standing as stands

    return stands(course, "a1").rows


def test_a_table_for_moodles_import(course: Course, tmp_path: Path):
    with opened(course.db_url()) as gradebook:
        gradebook.update_or_create_student("ada", first_name="Ada", last_name="@Lovelace", email="ada@x.invalid")
    outcome = export_scores(course, "a1", rows_of(course), Wish("moodle", tmp_path / "m.csv"))
    (row,) = csv.DictReader((tmp_path / "m.csv").open(newline="", encoding="utf-8"))
    assert row == {
        "Student": "ada", "First name": "Ada", "Last name": "'@Lovelace", "Email address": "ada@x.invalid", "a1": "9",
    }  # fmt: skip
    assert [who for who, _why in outcome.left] == ["bob", "cleo"] and "earlier submission" in outcome.left[0][1]


def test_feedback_in_one_zip(course: Course, tmp_path: Path):
    worksheet = sheet_file(tmp_path, WORKSHEET)
    rows = rows_of(course)
    outcome = export_feedback(course, "a1", rows, Wish("csv", tmp_path / "x.csv"), tmp_path / "f.zip")
    assert outcome.written == ["ada"]
    assert [who for who, _why in outcome.left] == ["bob", "cleo"] and "stale" in outcome.left[0][1]
    with zipfile.ZipFile(tmp_path / "f.zip") as made:
        assert made.namelist() == ["ada/p1.html", "index.csv"]
        page = made.read("ada/p1.html").decode()
        index = made.read("index.csv").decode().splitlines()
    assert "<script" not in page and "default-src 'none'" in page and "square" in page
    assert index == ["student_id,folder,files,state,stale", "ada,ada,p1.html,graded,"]
    wish = Wish("moodle", tmp_path / "x.csv", into=worksheet, with_stale=True)
    outcome = export_feedback(course, "a1", rows, wish, tmp_path / "f.zip")
    with zipfile.ZipFile(tmp_path / "f.zip") as made:
        assert "Ada Lovelace_101_assignsubmission_file_/p1.html" in made.namelist()
    assert outcome.written == ["ada", "bob"]


def test_pages_are_made_still():
    page = '<html><HEAD lang="en"><script src="http://x.invalid/a.js"></script></HEAD><SCRIPT>1</SCRIPT >text</html>'
    assert re.fullmatch(r'<html><HEAD lang="en"><meta [^>]+></HEAD>text</html>', still(page))


@pytest.mark.parametrize(
    ("wish", "zip_name", "words"),
    [
        (Wish("csv", Path("a"), into=Path("b")), None, "--into: not for --format csv"),
        (Wish("moodle", Path("a"), into=Path("b"), ids="ID"), None, "--ids: not for --format moodle"),
        (Wish("moodle", Path("a"), scale=True), None, "--students and --scale go with --into"),
        (Wish("canvas", Path("a"), into=Path("b"), ids="ID"), None, "--ids is for an export without"),
        (Wish("canvas", Path("a"), into=Path("a")), None, "--to: a is what is read"),
        (Wish("csv", Path()), None, "--to: . is a folder"),
        (Wish("csv", Path("a")), Path("a"), "name the same file"),
    ],
)
def test_options_that_do_not_go_together(wish: Wish, zip_name: Path | None, words: str):
    with pytest.raises(ValueError, match=words):
        check(wish, zip_name)


def test_the_command_exports(course: Course, tmp_path: Path, in_course):
    sheet_file(tmp_path, WORKSHEET)
    (tmp_path / "adjustments.toml").write_text("[a1.exercises.q1t]\ndo = 'full marks'\nwhy = 'unclear'")
    code, out, err = in_course("export", "a1")
    assert code == 0 and "3 rows in grades.csv; stale: 1" in out
    found = {row["student_id"]: row for row in csv.DictReader((tmp_path / "grades.csv").open(newline=""))}
    assert found["ada"]["adjusted"] == "9.0" and "q1t: full marks for all (unclear)" in found["ada"]["why"]
    code, out, err = in_course("export", "a1", "--format", "moodle", "--into", "given.csv", "--to", "m.csv")
    assert code == 0 and "scores in m.csv: 1" in out and "stale: p1" in out
    code, out, err = in_course("export", "a1", "--format", "canvas")
    assert code == 2 and "--ids" in err
