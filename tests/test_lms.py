"""Downloads from learning management systems: names, hostile archives, who is who, and what is written where."""

import gzip
import io
import json
import os
import stat
import tarfile
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from commands import ROOT, run, tree
from grading_kit import make_cases, tiny

from pt2e_kit.cli import app
from pt2e_kit.course import Course
from pt2e_kit.grading.collect import collect as find_notebooks
from pt2e_kit.grading.times import named_zone, submitted_at
from pt2e_kit.lms.collecting import configured_zone, plan_download
from pt2e_kit.lms.download import DownloadLimits, open_download
from pt2e_kit.lms.names import Blackboard, forms
from pt2e_kit.lms.plan import Plan, make_plan
from pt2e_kit.lms.store import Row, carry_out
from pt2e_kit.lms.students import Students, why_not_an_id

NOW = datetime(2026, 11, 29, tzinfo=UTC)
Files = dict[str, bytes | str]


def notebook(text: str = "") -> bytes:
    return json.dumps(tiny(m4=text)).encode()


ONE, TWO = notebook("one"), notebook("two")
MOODLE: Files = {
    "Ada Lovelace_101_assignsubmission_file_/p1.ipynb": ONE,
    "Ada Lovelace_101_assignsubmission_onlinetext_/onlinetext.html": "<p>hello",
    "Bob Byron_102_assignsubmission_file/sub/p1.ipynb": TWO,
}


def make_course(root: Path, config: str = "c = get_config()\n") -> Course:
    (root / "source" / "a1").mkdir(parents=True)
    (root / "source" / "a1" / "p1.ipynb").write_text(json.dumps(make_cases.source()))
    (root / "nbgrader_config.py").write_text(config)
    return Course(root)


def lay(folder: Path, files: Files) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    folder.mkdir(exist_ok=True)
    return folder


def pack(path: Path, files: Files) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def pack_tar(path: Path, files: Files, *more: tarfile.TarInfo) -> Path:
    with tarfile.open(path, "w:gz" if path.suffix == ".gz" else "w") as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            data = data if isinstance(data, bytes) else data.encode()
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        for info in more:
            archive.addfile(info)
    return path


def plan_of(
    tmp_path: Path, files: Files, chosen: str = "auto", students: str | None = None, zone: str | None = None
) -> Plan:
    """The plan for a download of these files (in a folder)."""
    who = None
    if students is not None:
        (tmp_path / "class.csv").write_text(students, encoding="utf-8")
        who = Students.read(tmp_path / "class.csv")
    with open_download(lay(tmp_path / "download", files)) as download:
        return make_plan(
            download, forms(chosen), ["p1", "p2"], students=who, zone=named_zone(zone) if zone else None, now=NOW
        )


def taken(plan: Plan) -> dict[str, list[str]]:
    """Student → files, of what is clear."""
    return {s.student: sorted(s.files) for s in plan.submissions if s.state == "new"}


def why(plan: Plan) -> str:
    """Everything that is told of what is not clear."""
    return " | ".join(
        [f"{s.person}: {s.why}" for s in plan.submissions if s.state != "new"] + [f"{n}: {w}" for n, w in plan.left]
    )


def bring(course: Course, path: Path, assignment: str = "a1", **options: object) -> dict[str, Row]:
    """Collect, as the command does; rows by student (or by name, where there is no student)."""
    carrying = {k: options.pop(k) for k in ("replace", "dry_run") if k in options}
    with plan_download(course, assignment, path, **options) as plan:  # type: ignore[arg-type]
        rows = carry_out(plan, course.root / "submitted", assignment, **carrying)  # type: ignore[arg-type]
    return {row.student or row.person: row for row in rows}


def outcomes(rows: dict[str, Row]) -> dict[str, str]:
    return {name: row.outcome for name, row in rows.items()}


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


def test_canvas_anonymous_names_need_a_students_file(tmp_path: Path) -> None:
    files: Files = {"anon_x7Yz1_9001_p1.ipynb": ONE, "LATE_anon_12345_9002_p1.ipynb": TWO}
    assert "stands for nobody" in why(plan_of(tmp_path, files))
    plan = plan_of(tmp_path, files, students="code,student_id\nanon_x7Yz1,ada\nanon_12345,bob\n")
    assert taken(plan) == {"ada": ["p1.ipynb"], "bob": ["p1.ipynb"]}


RECEIPT = "Name: Ada Byron (Lovelace) ({id})\nAssignment: HW_1\nDate Submitted: Saturday, 10 January 2026 23:30:10 o'clock CET\n"


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


# ---------------------------------------------------------------- which one counts


def attempts(*stamps: str, data: tuple[bytes, ...] = (ONE, TWO)) -> Files:
    return {f"HW_ada_attempt_{s}_p1.ipynb": d for s, d in zip(stamps, data, strict=True)}


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


# ---------------------------------------------------------------- hostile archives

ADA = "Ada Lovelace_101_assignsubmission_file_"


def looked_into(path: Path, **limits: int) -> tuple[list[str], dict[str, str]]:
    with open_download(path, DownloadLimits(**limits)) as download:
        return [m.path for m in download.members], dict(download.refused)


HOSTILE_NAMES = {
    "/etc/p1.ipynb": "absolute",
    "C:/p1.ipynb": "absolute",
    f"../{ADA}/p1.ipynb": "leads out",
    f"{ADA}/../../../p1.ipynb": "leads out",
    f"{ADA}\\..\\p1.ipynb": "backslash",
    f"{ADA}/p1\x1b[2J.ipynb": "cannot be shown",
    f"{ADA}/p1\u202e.ipynb": "cannot be shown",
    f"{ADA}/p1\n.ipynb": "cannot be shown",
    f"{ADA}/{'x/' * 20}p1.ipynb": "too long",
    f"{ADA}/{'x' * 500}.ipynb": "too long",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_hostile_names(tmp_path: Path, name: str, kind: str) -> None:
    make = pack if kind == "zip" else pack_tar
    archive = make(tmp_path / f"download.{kind}", {name: ONE, f"{ADA}/p2.ipynb": TWO})
    members, refused = looked_into(archive)
    assert members == [f"{ADA}/p2.ipynb"]
    assert list(refused) == [name] and HOSTILE_NAMES[name] in refused[name]
    course = make_course(tmp_path / "course")
    before = tree(tmp_path)
    bring(course, archive)
    written = {n for n in tree(tmp_path) if n not in before} - {"course/submitted/.collecting.lock"}
    assert all(n.startswith("course/submitted/Ada Lovelace/a1/") for n in written)


def test_a_refused_notebook_leaves_its_whole_submission(tmp_path: Path) -> None:
    """Else an older attempt would be graded in the place of the one that was refused."""
    files = attempts("2026-01-10-23-30-10", "2026-01-11-23-30-10", data=(ONE, TWO + b" " * 2**21))
    archive = pack(tmp_path / "download.zip", files)
    with open_download(archive, DownloadLimits(file_bytes=2**20, ratio=5000)) as download:
        plan = make_plan(download, forms("auto"), ["p1"], zone=UTC, now=NOW)
    assert not taken(plan) and "larger than 1 MiB" in why(plan)


def test_names_twice_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "w") as archive:
        for data in (ONE, TWO):
            archive.writestr(f"{ADA}/p1.ipynb", data)
        archive.writestr(f"{ADA}/P2.ipynb", ONE)
        archive.writestr(f"{ADA}/p2.IPYNB", ONE)
        archive.writestr("Bob_102_assignsubmission_file_/p1.ipynb", ONE)
    members, refused = looked_into(path)
    assert members == ["Bob_102_assignsubmission_file_/p1.ipynb"]
    assert set(refused.values()) == {"this name is there more than once"} and len(refused) == 3


def test_links_and_special_files(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode in (
            ("link", stat.S_IFLNK),
            ("pipe", stat.S_IFIFO),
            ("device", stat.S_IFCHR),
            ("plain", stat.S_IFREG),
        ):
            info = zipfile.ZipInfo(f"{ADA}/{name}.ipynb")
            info.external_attr = (mode | 0o644) << 16
            archive.writestr(info, "/etc/passwd")
    members, refused = looked_into(path)
    assert members == [f"{ADA}/plain.ipynb"] and set(refused.values()) == {"it is a link or a special file"}

    infos = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE):
        info = tarfile.TarInfo(f"{ADA}/{kind.decode()}.ipynb")
        info.type, info.linkname = kind, "/etc/passwd"
        infos.append(info)
    members, refused = looked_into(pack_tar(tmp_path / "download.tar", {f"./{ADA}/p1.ipynb": ONE}, *infos))
    assert members == [f"{ADA}/p1.ipynb"] and len(refused) == 5

    folder = lay(tmp_path / "folder", {f"{ADA}/p1.ipynb": ONE})
    (tmp_path / "secret.ipynb").write_text("secret")
    (folder / ADA / "link.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (folder / "Bob_102_assignsubmission_file_").symlink_to(tmp_path)
    os.mkfifo(folder / ADA / "pipe.ipynb")
    members, refused = looked_into(folder)
    assert members == [f"{ADA}/p1.ipynb"]
    assert set(refused) == {f"{ADA}/link.ipynb", f"{ADA}/pipe.ipynb", "Bob_102_assignsubmission_file_"}


def test_zip_bombs(tmp_path: Path) -> None:
    bomb = pack(tmp_path / "bomb.zip", {f"{ADA}/p1.ipynb": b" " * 2**22})
    assert "more than 200 times" in looked_into(bomb)[1][f"{ADA}/p1.ipynb"]
    assert "larger than 1 MiB" in looked_into(bomb, ratio=5000, file_bytes=2**20)[1][f"{ADA}/p1.ipynb"]
    many = pack(tmp_path / "many.zip", {f"{ADA}/{n}.ipynb": b"x" for n in range(20)})
    with pytest.raises(ValueError, match="more than 10 files"):
        looked_into(many, files=10)
    large = pack(tmp_path / "large.zip", {f"{ADA}/{n}.ipynb": os.urandom(2**19) for n in range(5)})
    with pytest.raises(ValueError, match="more than 2 MiB"):
        looked_into(large, total_bytes=2**21)
    folder = lay(tmp_path / "folder", {f"{n}.ipynb": b"x" for n in range(20)})
    with pytest.raises(ValueError, match="more than 10 files"):
        looked_into(folder, files=10)


def test_a_header_that_lies_about_the_size(tmp_path: Path) -> None:
    path = pack(tmp_path / "download.zip", {f"{ADA}/p1.ipynb": b"x" * 5000})
    data = path.read_bytes()
    assert data.count((5000).to_bytes(4, "little")) == 2
    path.write_bytes(data.replace((5000).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    with open_download(path) as download:
        plan = make_plan(download, forms("auto"), ["p1"], now=NOW)
    assert not taken(plan) and "damaged" in why(plan)


def test_tar_bombs(tmp_path: Path) -> None:
    """The body of the large file is not there: whoever went to read or leap over it would fail otherwise."""
    info = tarfile.TarInfo(f"{ADA}/p1.ipynb")
    info.size = 2**40
    (tmp_path / "a.tar").write_bytes(info.tobuf())
    with pytest.raises(ValueError, match="holds more than 8192 MiB"):
        looked_into(tmp_path / "a.tar")
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 2**30
    with gzip.open(tmp_path / "b.tar.gz", "wb") as file:
        file.write(header.tobuf())
    with pytest.raises(ValueError, match="a header in it is too large"):
        looked_into(tmp_path / "b.tar.gz")


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_damaged_archives(tmp_path: Path, kind: str) -> None:
    files: Files = {f"{ADA}/{n}.ipynb": os.urandom(3000) for n in range(4)}
    path = (pack if kind == "zip" else pack_tar)(tmp_path / f"download.{kind}", files)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"cannot be opened as zip, tar or tar\.gz: .*unpack it yourself"):
        looked_into(path)
    if kind == "tar":
        path.write_bytes(whole[:3584] + b"\xff" * 512 + whole[4096:])
        with pytest.raises(ValueError, match="it is damaged"):
            looked_into(path)


def test_one_damaged_file_costs_one_submission(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in MOODLE.items():
            archive.writestr(name, data)
    path.write_bytes(path.read_bytes().replace(b'"cells"', b'"cellz"', 1))
    course = make_course(tmp_path / "course")
    rows = bring(course, path)
    assert outcomes(rows) == {"Ada Lovelace": "left", "Bob Byron": "collected"}
    assert "Bad CRC-32" in rows["Ada Lovelace"].remarks[0]


@pytest.mark.parametrize("data", [b"", b"hello", b"Rar!\x1a\x07", b"PK\x03\x04", b"\x1f\x8b\x08\x00"])
def test_what_is_no_archive(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "download.zip").write_bytes(data)
    with pytest.raises(ValueError, match="cannot be opened as zip"):
        looked_into(tmp_path / "download.zip")


def test_encodings_of_names(tmp_path: Path) -> None:
    """UTF-8 that is not declared is recognised; another encoding is not guessed."""
    path = tmp_path / "download.zip"
    names = {"utf-8": "Zoë_1_assignsubmission_file_/p1.ipynb", "latin-1": "José_2_assignsubmission_file_/p1.ipynb"}
    with zipfile.ZipFile(path, "w") as archive:
        for encoding, name in names.items():
            archive.writestr(name.encode(encoding).decode("latin-1").replace("Ã«", "??").replace("é", "?"), ONE)
    data = path.read_bytes().replace(b"Zo??", "Zoë".encode()).replace(b"Jos?", "José".encode("latin-1"))
    path.write_bytes(data)
    with open_download(path) as download:
        plan = make_plan(download, forms("moodle"), ["p1"], now=NOW)
    assert taken(plan) == {"Zoë": ["p1.ipynb"]}
    (zoe,) = (s for s in plan.submissions if s.student == "Zoë")
    assert "read as UTF-8" in zoe.remarks[0]
    assert "encoding of its name is not known" in why(plan)
    assert not taken(plan_of(tmp_path, {"Zoe\u0301_1_assignsubmission_file_/x.txt": ONE}))
    assert set(taken(plan_of(tmp_path / "2", {"Zoe\u0308_1_assignsubmission_file_/p1.ipynb": ONE}))) == {"Zoë"}


def test_rubbish_of_operating_systems_is_passed_over(tmp_path: Path) -> None:
    files: Files = {
        f"__MACOSX/{ADA}/._p1.ipynb": "x",
        f"{ADA}/.DS_Store": "x",
        f"{ADA}/.ipynb_checkpoints/p1.ipynb": "x",
    }
    assert looked_into(pack(tmp_path / "download.zip", files)) == ([], {})
    assert looked_into(lay(tmp_path / "download", files)) == ([], {})


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
