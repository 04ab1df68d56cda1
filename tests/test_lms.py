"""Names in downloads of learning management systems, who is who, and which submission counts."""

import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
from commands import ROOT
from lms_kit import MOODLE, NOW, ONE, RECEIPT, TWO, Files, attempts, lay, plan_of, taken, why

from pt2e_kit.lms.download import open_download
from pt2e_kit.lms.names import Blackboard, forms
from pt2e_kit.lms.plan import make_plan
from pt2e_kit.lms.students import Students, why_not_an_id

# ---------------------------------------------------------------- names


def test_moodle(tmp_path: Path) -> None:
    flat = {
        "Eve Ö'Neil_103_assignsubmission_file_p1 (1).ipynb": ONE,
        "hw/Dan_104_assignsubmission_file_1_2_p1.ipynb": TWO,
    }
    plan = plan_of(tmp_path, MOODLE | flat)
    wanted = {"Ada Lovelace": ["p1.ipynb"], "Bob Byron": ["sub/p1.ipynb"]}
    assert taken(plan) == wanted | {"Eve Ö'Neil": ["p1 (1).ipynb"], "Dan": ["1_2_p1.ipynb"]}
    assert not plan.left


def test_canvas(tmp_path: Path) -> None:
    files: Files = {
        "lovelaceada_11_9001_p1.ipynb": ONE,
        "byronbob_LATE_12_9002_p1-2.ipynb": ONE,
        "müllermax_13_9003_p1-1.ipynb": ONE,
        "müllermax_13_9004_p2.ipynb": TWO,
        "eliot_x_14_9005_other-1.ipynb": ONE,
        "onlytext_15_text.html": "<p>hello",
    }
    plan = plan_of(tmp_path, files)
    assert taken(plan) == {
        "11": ["p1.ipynb"],
        "12": ["p1.ipynb"],
        "13": ["p1.ipynb", "p2.ipynb"],
        "14": ["other-1.ipynb"],
    }
    assert why(plan) == "15: no file was handed in, only text typed into the system, or a receipt"
    assert {s.student for s in plan.submissions if "marked as late" in s.remarks} == {"12"}


def test_canvas_two_files_for_one_name_stay_two(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"ada_11_9001_p1.ipynb": ONE, "ada_11_9002_p1-1.ipynb": TWO})
    assert taken(plan) == {"11": ["p1-1.ipynb", "p1.ipynb"]}


def test_canvas_numbers_stay_where_they_belong_to_the_name(tmp_path: Path) -> None:
    lay(tmp_path, {"ada_11_9001_p1-1.ipynb": ONE})
    with open_download(tmp_path) as download:
        assert taken(make_plan(download, forms("auto"), ["p1", "p1-1"], now=NOW)) == {"11": ["p1-1.ipynb"]}


def test_canvas_names_that_one_disk_cannot_tell_apart(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"ada_11_9001_P1.ipynb": ONE, "ada_11_9002_p1.ipynb": TWO})
    assert not taken(plan) and "two of the files would have one name" in why(plan)


def test_canvas_anonymous_names_need_a_students_file(tmp_path: Path) -> None:
    files: Files = {"anon_x7Yz1_9001_p1.ipynb": ONE, "LATE_anon_12345_9002_p1.ipynb": TWO}
    assert "stands for nobody" in why(plan_of(tmp_path, files))
    plan = plan_of(tmp_path, files, students="code,student_id\nanon_x7Yz1,ada\nanon_12345,bob\n")
    assert taken(plan) == {"ada": ["p1.ipynb"], "bob": ["p1.ipynb"]}


def test_blackboard(tmp_path: Path) -> None:
    files: Files = {
        "Homework 1_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE,
        "Homework 1_ada_attempt_2026-01-10-23-30-10.txt": RECEIPT.format(id="ada"),
        "Homework 1_ada_attempt_2026-01-11-08-00-00_p1.ipynb": TWO,
        "Homework 1_bob_attempt_2026-01-10-23-30-10_p1.ipynb": ONE,
    }
    plan = plan_of(tmp_path, files, zone="Europe/Berlin")
    assert taken(plan) == {"ada": ["p1.ipynb"], "bob": ["p1.ipynb"]}
    ada, bob = plan.submissions
    assert ada.moment and ada.moment.isoformat() == "2026-01-11T08:00:00+01:00"
    assert "the latest of 2 submissions" in ada.remarks
    assert bob.moment and bob.moment.isoformat() == "2026-01-10T23:30:10+01:00"

    plan = plan_of(tmp_path, files)  # without a zone nobody knows the moments
    assert taken(plan) == {"bob": ["p1.ipynb"]}
    assert plan.submissions[1].moment is None and "has no time zone" in plan.submissions[1].remarks[0]
    ada = plan.submissions[0]
    assert ada.state == "ambiguous" and "has no time zone" in ada.why
    assert sorted(ada.files) == ["attempt-1/p1.ipynb", "attempt-2/p1.ipynb"] and ada.moment is None


def test_blackboard_underscores_are_not_guessed(tmp_path: Path) -> None:
    stem = "HW_1_van_der_attempt_2026-01-10-23-30-10"
    files: Files = {f"{stem}_p1.ipynb": ONE}
    assert "read in several ways" in why(plan_of(tmp_path, files))
    assert taken(plan_of(tmp_path, files, students="user,student_id\nvan_der,v1\n")) == {"v1": ["p1.ipynb"]}
    assert "read in several ways" in why(plan_of(tmp_path, files, students="user,student_id\nvan_der,v1\nder,v2\n"))
    assert "read in several ways" in why(plan_of(tmp_path, files | {f"{stem}.txt": RECEIPT.format(id="somebody")}))
    files[f"{stem}.txt"] = RECEIPT.format(id="van_der")
    assert taken(plan_of(tmp_path, files)) == {"van_der": ["p1.ipynb"]}
    # The receipt of one attempt names the user of the others too; else an older one would pass for the latest.
    later = {stem.replace("10-23", "11-23") + "_p1.ipynb": TWO}
    plan = plan_of(tmp_path, files | later, zone="UTC")
    assert [(s.student, s.moment and s.moment.day) for s in plan.submissions] == [("van_der", 11)]


@pytest.mark.parametrize(
    ("text", "user"),
    [
        ("\ufeffName: Ada (ada)\r\nName: Eve (eve)\n", "ada"),
        ("Name: Ada (the first) (ada_l)", "ada_l"),
        ("Name: Ada\n(eve)", None),
        ("Comments: Name: x (eve)", None),
        ("", None),
    ],
)
def test_receipts(text: str, user: str | None) -> None:
    assert Blackboard.receipt_id(text) == user


def test_sakai(tmp_path: Path) -> None:
    files: Files = {
        "HW 1/Lovelace, Ada(ada)/Submission attachment(s)/p1.ipynb": ONE,
        "HW 1/Lovelace, Ada(ada)/timestamp.txt": "2026-01-10T23:30:00Z",
        "HW 1/Byron, Bob (B.)(bob)/Submission attachment(s)/p1.ipynb": TWO,
        "HW 1/Byron, Bob (B.)(bob)/timestamp.txt": "20260110233000000",
        "HW 1/Byron, Bob (B.)(bob)/comments.txt": "",
        "HW 1/Nobody(nn)/timestamp.txt": "",
        "HW 1/grades.csv": "",
    }
    plan = plan_of(tmp_path, files)
    assert taken(plan) == {"ada": ["p1.ipynb"], "bob": ["p1.ipynb"]} and not plan.left
    ada, bob = plan.submissions
    assert ada.moment and ada.moment.isoformat() == "2026-01-10T23:30:00+00:00"
    assert bob.moment is None and "not understood" in bob.remarks[0]


def test_ilias(tmp_path: Path) -> None:
    files: Files = {
        "HW 1/Abgaben/Lovelace_Ada_ada_1234/p1.ipynb": ONE,
        "HW 1/Abgaben/Van_Der_Bob_bob_1235/p1.ipynb": TWO,
        "HW 1/HW 1.xlsx": "",
    }
    plan = plan_of(tmp_path, files, "ilias")
    assert taken(plan) == {"ada": ["p1.ipynb"]}
    assert [name for name, _why in plan.left] == ["HW 1/Abgaben/Van_Der_Bob_bob_1235/p1.ipynb"]


PATTERN = r".*ps1_(?P<student_id>[a-z]+)_(?P<timestamp>[0-9-]+)_(?P<file_id>\w+)"


def test_an_expression_of_ones_own(tmp_path: Path) -> None:
    files: Files = {"in/ps1_ada_2026-01-10-23-30-10_p1.ipynb": ONE, "ps1_BOB_1_p1.ipynb": ONE}
    plan = plan_of(tmp_path, files, PATTERN, zone="UTC")
    assert taken(plan) == {"ada": ["p1.ipynb"]}
    assert plan.submissions[0].moment == datetime(2026, 1, 10, 23, 30, 10, tzinfo=UTC)
    assert "ps1_BOB_1_p1.ipynb: the name fits no form" in why(plan)


def test_an_expression_with_times_of_single_files_loses_none(tmp_path: Path) -> None:
    files: Files = {"ps1_ada_2026-01-10-23-30-10_p1.ipynb": ONE, "ps1_ada_2026-01-11-23-30-10_p2.ipynb": TWO}
    (ada,) = plan_of(tmp_path, files, PATTERN, zone="UTC").submissions
    assert ada.state == "ambiguous"
    assert sorted(ada.files) == ["attempt-1/p1.ipynb", "attempt-2/p2.ipynb"]


def test_two_submissions_of_one_moment_are_ambiguous(tmp_path: Path) -> None:
    files: Files = {"ps1_ada_2026-01-10-23-30-10_p1.ipynb": ONE, "ps1_ada_20260110T233010Z_p1.ipynb": TWO}
    (ada,) = plan_of(tmp_path, files, PATTERN.replace("[0-9-]+", "[^_]+"), zone="UTC").submissions
    assert ada.state == "ambiguous" and len(ada.files) == 2


def test_the_expression_for_brightspace_in_the_documentation(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "grading.md").read_text(encoding="utf-8")
    (expression,) = re.findall(r"^`(.*\(\?P<student_id>.*)` may do", text, re.MULTILINE)
    files: Files = {
        "2718-4423 - Ada Lovelace - Jan 10, 2026 1130 PM - p1.ipynb": ONE,
        "2719-4423 - Bob Byron - Jan 10, 2026 1130 PM/sub/p1.ipynb": TWO,
    }
    assert taken(plan_of(tmp_path, files, expression)) == {"Ada Lovelace": ["p1.ipynb"], "Bob Byron": ["sub/p1.ipynb"]}
    again: Files = {"2718-4423 - Ada Lovelace - Jan 11, 2026 1130 PM - p1.ipynb": TWO}
    assert "two of the files would have one name" in why(plan_of(tmp_path, files | again, expression))


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ("webct", "none of auto, moodle"),
        ("(?P<student_id>[", "no regular expression"),
        ("(?P<student_id>x)", "named group file_id"),
        ("(?P<x>x)", "file_id and student_id"),
    ],
)
def test_what_cannot_be_tried_is_said(chosen: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        forms(chosen)


@pytest.mark.parametrize(
    "name",
    [
        "p1.ipynb",
        "ada/p1.ipynb",
        "Default group_assignsubmission_file_p1.ipynb",
        "lovelaceada_11_p1.ipynb",
        "lovelace ada_11_9001_p1.ipynb",
        "ada_1_x_11_9001_p1.ipynb",
        "ada_attempt_2026-01-10-23-30-10_p1.ipynb",
        "HW_ada_attempt_2026-01-10_p1.ipynb",
        "HW/Lovelace, Ada/Submission attachment(s)/p1.ipynb",
        "12-34 - Ada Lovelace - Jan 10, 2026 1130 PM - p1.ipynb",
    ],
)
def test_names_that_fit_no_form_are_left(tmp_path: Path, name: str) -> None:
    plan = plan_of(tmp_path, {name: ONE})
    assert not plan.submissions
    assert [n for n, w in plan.left if "fits no form" in w] == [name]


def test_a_name_that_fits_two_forms_is_left_with_its_whole_submission(tmp_path: Path) -> None:
    double = "Ada Lovelace_101_assignsubmission_file_/bob_1_2_p1.ipynb"
    plan = plan_of(tmp_path, MOODLE | {double: TWO})
    assert taken(plan) == {"Bob Byron": ["sub/p1.ipynb"]}
    assert "fits more than one form (moodle and canvas); say with --from" in why(plan)
    assert taken(plan_of(tmp_path, MOODLE | {double: TWO}, "moodle"))["Ada Lovelace"] == [
        "bob_1_2_p1.ipynb",
        "p1.ipynb",
    ]
    only = plan_of(tmp_path / "only", {double: TWO})
    assert not only.submissions and "more than one form" in why(only)


def test_names_of_two_systems_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"more than one system \(canvas, moodle\)"):
        plan_of(tmp_path, MOODLE | {"ada_11_9001_p1.ipynb": ONE})


# ---------------------------------------------------------------- who is who


def test_two_people_of_one_name_are_left(tmp_path: Path) -> None:
    twins: Files = {"ada LOVELACE_105_assignsubmission_file_/p1.ipynb": TWO}
    plan = plan_of(tmp_path, MOODLE | twins)
    assert taken(plan) == {"Bob Byron": ["sub/p1.ipynb"]}
    assert why(plan).count("2 people of the download would have the student id") == 2
    table = "number;name;student_id\n101;;ada1\n105;;ada2\n;bob  BYRON;bob\n"
    assert set(taken(plan_of(tmp_path, MOODLE | twins, students=table))) == {"ada1", "ada2", "bob"}


def test_a_name_that_two_rows_share_decides_nothing(tmp_path: Path) -> None:
    table = "name,number,student_id\nAda Lovelace,101,ada1\nAda Lovelace,105,ada2\nBob Byron,102,bob\n"
    twins: Files = {"Ada Lovelace_105_assignsubmission_file_/p1.ipynb": TWO}
    assert set(taken(plan_of(tmp_path, MOODLE | twins, students=table))) == {"ada1", "ada2", "bob"}
    plan = plan_of(tmp_path, MOODLE, students=table.replace("101", "").replace("105", ""))
    assert set(taken(plan)) == {"bob"} and "more than one student id: ada1, ada2" in why(plan)


def test_a_students_file_is_the_last_word(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, MOODLE, students="name,student_id\nAda Lovelace,s01\n")
    assert set(taken(plan)) == {"s01"}
    assert "'102' or 'Bob Byron': not in class.csv" in why(plan)
    plan = plan_of(tmp_path, MOODLE, students="name,student_id\nAda Lovelace,s01\n101,s02\nBob Byron,s03\n")
    assert set(taken(plan)) == {"s03"} and "more than one student id: s01, s02" in why(plan)
    plan = plan_of(tmp_path, MOODLE, students="name,student_id\nAda Lovelace,s01\nBob Byron,S01\n")
    assert not taken(plan), "two people of one id, but for case"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("", "line 1: name the columns"),
        ("Ada Lovelace,ada\n", "line 1: name the columns"),
        ("name,student_id\nAda,x,y\n", "line 2: 3 columns where the first line has 2"),
        ("name,student_id\nAda,a+b\n", "line 2: 'a\\+b' cannot be a student id"),
        ("name,student_id\nAda,\n", "line 2: '' cannot be a student id"),
        ('name,student_id\n"Ada,a\n', "line 2"),
    ],
)
def test_a_bad_students_file_is_told_with_its_line(tmp_path: Path, table: str, words: str) -> None:
    (tmp_path / "class.csv").write_text(table)
    with pytest.raises(ValueError, match=words):
        Students.read(tmp_path / "class.csv")


def test_a_students_file_in_another_encoding(tmp_path: Path) -> None:
    (tmp_path / "class.csv").write_bytes("name,student_id\nMüller,m\n".encode("latin-1"))
    with pytest.raises(ValueError, match="not UTF-8"):
        Students.read(tmp_path / "class.csv")
    (tmp_path / "class.csv").write_bytes("\ufeffname\tstudent_id\r\nMüller\tm\r\n\r\n".encode())
    assert Students.read(tmp_path / "class.csv").ids(("mu\u0308ller",)) == {"m"}


@pytest.mark.parametrize(
    "student", ["ada", "Ada Lovelace", "s-01_x.y", "ada@uni.example", "O'Neil", "李小龍", "नमस्ते", "1"]
)
def test_ids_that_can_be(student: str) -> None:
    assert why_not_an_id(student) is None


BAD_IDS = r"a+b a* a? [a] (a) a/b a\b a,b a:b .ada .. -rf =1+1 @ada ada. con NUL.x {a} ';drop <b>"


@pytest.mark.parametrize(
    "student",
    [
        *BAD_IDS.split(),
        *("", " ada", "a\nb", "a\x1b[2J", "a\u202eb", "a\u200bb", "x" * 101, "mu\u0308ller"),
    ],
)
def test_ids_that_cannot_be(student: str) -> None:
    assert why_not_an_id(student)


def test_an_id_that_cannot_be_is_left_with_advice(tmp_path: Path) -> None:
    plan = plan_of(tmp_path, {"Ada (the first)_1_assignsubmission_file_/p1.ipynb": ONE})
    assert not taken(plan)
    assert "cannot be a student id: it holds '('" in why(plan) and "--students" in why(plan)


def test_names_that_contradict_each_other_are_left(tmp_path: Path) -> None:
    files: Files = {"Ada Byron_101_assignsubmission_file_/p2.ipynb": TWO}
    for table in (None, "number,student_id\n101,ada\n102,bob\n"):
        plan = plan_of(tmp_path, MOODLE | files, students=table)
        assert len(taken(plan)) == 1 and "contradict each other: 101 and ada byron, 101 and ada lovelace" in why(plan)


def test_anonymous_submissions_of_moodle_need_a_students_file(tmp_path: Path) -> None:
    files: Files = {"Participant_107_assignsubmission_file_/p1.ipynb": ONE}
    assert "'107' stands for nobody" in why(plan_of(tmp_path, files))
    assert taken(plan_of(tmp_path, files, students="number,student_id\n107,ada\n")) == {"ada": ["p1.ipynb"]}


# ---------------------------------------------------------------- which one counts


@pytest.mark.parametrize(
    ("stamps", "words"),
    [
        (("2026-10-25-02-30-00", "2026-10-26-08-00-00"), "showed that time twice"),
        (("2026-03-29-02-30-00", "2026-10-26-08-00-00"), "leapt over"),
        (("2026-01-10-23-30-10", "2027-01-10-23-30-10"), "in the future"),
        (("2026-01-10-23-30-10", "2026-13-10-23-30-10"), "no such time"),
    ],
)
def test_times_that_are_not_sure_decide_nothing(tmp_path: Path, stamps: tuple[str, str], words: str) -> None:
    (ada,) = plan_of(tmp_path, attempts(*stamps), zone="Europe/Berlin").submissions
    assert ada.state == "ambiguous" and words in ada.why and len(ada.files) == 2


def test_the_same_twice_needs_no_time_to_be_told_apart(tmp_path: Path) -> None:
    files = attempts("2026-01-10-23-30-10", "2026-01-11-23-30-10", data=(ONE, ONE))
    plan = plan_of(tmp_path, files)
    assert taken(plan) == {"ada": ["p1.ipynb"]}
    assert plan.submissions[0].moment is None and "no time that says which one counts" in plan.submissions[0].remarks[0]
    assert plan_of(tmp_path, files, zone="UTC").submissions[0].moment == datetime(2026, 1, 11, 23, 30, 10, tzinfo=UTC)


def test_an_earlier_notebook_that_the_latest_lacks_is_told(tmp_path: Path) -> None:
    files: Files = {
        "HW_ada_attempt_2026-01-10-23-30-10_p1.ipynb": ONE,
        "HW_ada_attempt_2026-01-11-23-30-10_p2.ipynb": TWO,
    }
    plan = plan_of(tmp_path, files, zone="UTC")
    assert taken(plan) == {"ada": ["p2.ipynb"]}
    assert "also has p1.ipynb; it does not count" in plan.submissions[0].remarks[0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (".p1.ipynb", "dot or blank"),
        ("a/b/c/d/p1.ipynb", "too many folders"),
        ("CON.ipynb", "Windows"),
        ("p1:x.ipynb", "Windows"),
        ("p" * 230 + ".ipynb", "too long"),
    ],
)
def test_files_that_cannot_be_written_leave_the_submission(tmp_path: Path, name: str, words: str) -> None:
    plan = plan_of(tmp_path, MOODLE | {f"Ada Lovelace_101_assignsubmission_file_/{name}": TWO})
    assert set(taken(plan)) == {"Bob Byron"} and words in why(plan)


def test_other_files_are_told_and_not_taken(tmp_path: Path) -> None:
    folder = "Ada Lovelace_101_assignsubmission_file_"
    plan = plan_of(tmp_path, MOODLE | {f"{folder}/timestamp.txt": "2020-01-01T00:00:00Z", f"{folder}/torch.py": "x"})
    ada = plan.submissions[0]
    assert sorted(ada.files) == ["p1.ipynb"] and ada.moment is None, "a student's own timestamp.txt says nothing"
    assert ada.remarks == ["not taken, since grading does not use it: timestamp.txt, torch.py"]
    plan = plan_of(tmp_path / "2", {f"{folder}/all.zip": "x"})
    assert "no notebook, but an archive: all.zip" in why(plan)
    plan = plan_of(tmp_path / "3", {f"{folder}/essay.pdf": "x"})
    assert "no notebook among what was handed in: essay.pdf" in why(plan)
