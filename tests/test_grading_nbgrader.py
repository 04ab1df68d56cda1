"""nbgrader's own commands and the gradebook: the same scores as `pt2e-kit grade`, and nothing without a judge."""

import csv
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from course_kit import grade, hand_in, in_gradebook, make_course, nbgrader
from grading_kit import (
    cell,
    exercise_test,
    kit_notebook,
    make_cases,
    put,
    tiny,
)
from nbformat.v4 import new_code_cell, new_notebook, new_output
from test_grading_cases import EXPECTED

from pt2e_kit.nbgrader_steps import HideDetails, RefuseUnjudged, TellStudent
from pt2e_kit.record import write_feedback

CLASS = ("good", "partial_two", "truncated_json", "renamed_copy", "symlink_to_source", "metadata_stripped")
CLASS += ("game_print_history", "kernel_killed")
SCORES = {"good": 9, "partial_two": 7, "renamed_copy": 9, "symlink_to_source": 9, "metadata_stripped": 9}
SCORES |= {"game_print_history": 9, "kernel_killed": 6}


# ---------------------------------------------------------------- the two ways give the same


@pytest.mark.slow
def test_nbgraders_commands_give_the_scores_of_the_kit(tmp_path: Path):
    theirs = make_course(tmp_path / "theirs")
    hand_in(theirs, *CLASS)
    assert nbgrader(theirs.root, "generate_assignment", "a1").returncode == 0
    released = (theirs.root / "release" / "a1" / "p1.ipynb").read_text()
    assert "SECRET" not in released and "x * x" not in released

    done = nbgrader(theirs.root, "autograde", "a1")

    assert done.returncode == 1 and "truncated_json: p1 is not graded: unreadable" in done.stderr
    assert "Traceback" not in done.stderr
    assert in_gradebook(theirs) == SCORES
    ours = make_course(tmp_path / "ours")
    hand_in(ours, *CLASS)
    results = grade(ours)
    assert {s: r["score"] for s, r in results.items() if r["state"] == "graded"} == SCORES == in_gradebook(ours)
    assert results["truncated_json"]["state"] == "unreadable"
    for student in SCORES:
        (one, other) = (json.loads((c.results("a1", student) / "results.json").read_text()) for c in (theirs, ours))
        assert one["notebooks"] == other["notebooks"] and one["notes"] == other["notes"]

    assert nbgrader(theirs.root, "generate_feedback", "a1").returncode == 0
    pages = {p.parent.parent.name: p.read_text() for p in (theirs.root / "feedback").glob("*/a1/p1.html")}
    assert set(pages) == set(SCORES)
    assert not [student for student, page in pages.items() if "SECRET" in page or "square(11)" in page]
    assert "the file was renamed" in pages["renamed_copy"]
    assert "About what you handed in" not in pages["good"]
    assert "About what you handed in" in pages["kernel_killed"]
    handed_back = {p.name for p in (theirs.root / "feedback").rglob("*") if p.is_file()}
    assert handed_back <= {"p1.html", "common.py", "timestamp.txt", "submission_secret.txt"}

    assert nbgrader(theirs.root, "export").returncode == 0
    with (theirs.root / "grades.csv").open() as file:
        rows = {row["student_id"]: float(row["score"]) for row in csv.DictReader(file)}
    assert {s: rows[s] for s in SCORES} == SCORES


HANGS = {"infinite_loop_top", "infinite_loop_in_test"}
"""They take their 30 seconds each; test_grading_cases.py has them with shorter limits."""

BY_CHANCE = {"flaky_random"}
"""Answers that are right in one run and wrong in the next: two runs of them need not agree."""


@pytest.mark.slow
def test_every_case_comes_out_the_same_by_grade_and_by_autograde(tmp_path: Path):
    """As one class: no submission keeps another from its score, whatever it holds."""
    cases = [name for name in EXPECTED if name not in HANGS]
    theirs, ours = make_course(tmp_path / "theirs"), make_course(tmp_path / "ours")
    for course in (theirs, ours):
        hand_in(course, *cases)
    assert nbgrader(theirs.root, "generate_assignment", "a1").returncode == 0
    assert "Traceback" not in nbgrader(theirs.root, "autograde", "a1").stderr

    results = grade(ours, jobs=2)

    (one, other) = ({s: v for s, v in in_gradebook(c).items() if s not in BY_CHANCE} for c in (theirs, ours))
    assert one == other
    for name in cases:
        result, expected = results[name], EXPECTED[name]
        assert result["state"] in expected["states"], name
        points = [expected["points"], expected.get("alt")]
        plain = [e["score"] for n in result["notebooks"] for e in n["exercises"] if e["kind"] == "plain"] or None
        noted = expected["flag"] and any(note["kind"] == "suspicion" for note in result["notes"])
        assert plain in points or noted, name
        if name not in BY_CHANCE:
            other = json.loads((theirs.results("a1", name) / "results.json").read_text())
            assert other["notebooks"] == result["notebooks"] and other["notes"] == result["notes"], name


# ---------------------------------------------------------------- fail closed

STOCK = """from pathlib import Path
from pt2e_kit.course import put_own_programs_on_path
put_own_programs_on_path()
c = get_config()
c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "stock"
"""


@pytest.mark.slow
def test_stock_nbgrader_gives_nothing_for_our_exercises(tmp_path: Path):
    course = make_course(tmp_path, STOCK)
    source = new_notebook(metadata={"kernelspec": make_cases.KS})
    answer = make_cases.md("m02_2-switch_story-answer", False, True, False)
    source.cells = [
        new_code_cell("### BEGIN SOLUTION\nx = 1\n### END SOLUTION", metadata=answer),
        new_code_cell(exercise_test("m02_2.switch_story"), metadata=make_cases.md("story", True, False, True, 4)),
        new_code_cell("assert True", metadata=make_cases.md("plain", True, False, True, 2)),
    ]
    put(course.root / "source" / "k1", source, "k.ipynb")
    assert nbgrader(course.root, "generate_assignment", "k1").returncode == 0
    shutil.copytree(course.root / "release" / "k1", course.root / "submitted" / "s01" / "k1")
    done = nbgrader(course.root, "autograde", "k1")
    assert done.returncode == 0, done.stderr
    assert in_gradebook(course, "k1") == {"s01": 2}


def test_the_kit_refuses_to_record_without_its_steps(tmp_path: Path):
    course = make_course(tmp_path, STOCK)
    hand_in(course, "blank")
    result = grade(course)["blank"]
    assert result["state"] == "failed" and "GradeSubmission" in result["notebooks"][0]["cause"]
    assert in_gradebook(course) == {}


@pytest.mark.parametrize("outputs", ["none", "not_judged", "shown", "judged_and_not"])
def test_what_no_judge_has_seen_is_refused(outputs: str):
    from nbgrader.converters import NbGraderException

    notebook = kit_notebook()
    judged = new_output("display_data", {"text/plain": "✓"}, metadata={"pt2e_kit_judged": True})
    raised = new_output("error", ename="NotJudged", evalue="", traceback=[])
    shown = new_output("execute_result", {"text/plain": "4.0"})
    for name in ("insert_after", "switch_story"):
        cell(notebook, f"m02_2-{name}").outputs = [judged]
    assert RefuseUnjudged().preprocess(notebook, {})[0] is notebook
    given = {"none": [], "not_judged": [raised], "shown": [shown], "judged_and_not": [judged, raised]}
    cell(notebook, "m02_2-insert_after").outputs = given[outputs]
    with pytest.raises(NbGraderException, match=r"m02_2\.insert_after was not judged"):
        RefuseUnjudged().preprocess(notebook, {})


# ---------------------------------------------------------------- recording


def test_a_failed_regrade_keeps_the_old_score(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(course.root / "submitted" / "s01" / "a1", tiny())
    assert grade(course)["s01"]["score"] == 9 and in_gradebook(course) == {"s01": 9}
    put(course.root / "submitted" / "s01" / "a1", b"{")
    result = grade(course)["s01"]
    assert (result["state"], result["score"]) == ("unreadable", None)
    assert in_gradebook(course) == {"s01": 9}


def test_a_bad_notebook_keeps_its_old_score_while_the_other_gets_a_new_one(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(course.root / "source" / "a1", make_cases.source(), "p2.ipynb")
    folder = course.root / "submitted" / "s01" / "a1"
    put(put(folder, tiny()), tiny(), "p2.ipynb")
    assert grade(course)["s01"]["score"] == 18 and in_gradebook(course) == {"s01": 18}
    put(put(folder, tiny(q1="wrong")), b"{", "p2.ipynb")
    result = grade(course)["s01"]
    assert (result["state"], result["score"]) == ("unreadable", 0)
    assert in_gradebook(course) == {"s01": 9}
    pages = write_feedback(course, "a1")
    assert [p.name for p in pages] == ["p1.html"]


def test_a_submission_that_cannot_be_recorded_stops_no_other(tmp_path: Path, quick, monkeypatch: pytest.MonkeyPatch):
    import pt2e_kit.record as record

    real = record.convert

    def refuse(kind, directory, config):
        if kind.__name__ == "Autograde" and directory.student_id == "s01":
            raise RuntimeError("the database is locked")
        return real(kind, directory, config)

    course = make_course(tmp_path)
    for student in ("s01", "s02"):
        put(course.root / "submitted" / student / "a1", tiny())
    monkeypatch.setattr(record, "convert", refuse)
    results = grade(course)
    assert results["s01"]["state"] == "failed" and "locked" in results["s01"]["notebooks"][0]["cause"]
    assert results["s02"]["score"] == 9 and in_gradebook(course) == {"s02": 9}


def test_odd_names_of_students(tmp_path: Path, quick):
    course = make_course(tmp_path)
    for student in ("s[1] (x)", "{s}", "平 é", "a+b"):
        put(course.root / "submitted" / student / "a1", tiny())
    results = grade(course)
    refused = results.pop("s[1] (x)")  # nbgrader takes brackets for a pattern
    assert refused["state"] == "failed" and "No notebooks" in refused["notebooks"][0]["cause"]
    assert in_gradebook(course) == dict.fromkeys(results, 9) and len(results) == 3


def test_points_of_today_count(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(course.root / "submitted" / "s01" / "a1", tiny())
    grade(course)
    changed = make_cases.source()
    cell(changed, "q1t").metadata["nbgrader"]["points"] = 5
    put(course.root / "source" / "a1", changed)
    assert grade(course)["s01"]["score"] == 12 and in_gradebook(course) == {"s01": 12}


def test_links_in_submitted_are_nobodys_submission(tmp_path: Path, quick):
    course = make_course(tmp_path)
    put(course.root / "submitted" / "s01" / "a1", tiny())
    (course.root / "submitted" / "s02").symlink_to(course.root / "submitted" / "s01")
    (course.root / "submitted" / "s03").mkdir()
    (course.root / "submitted" / "s03" / "a1").symlink_to(course.root / "source" / "a1")
    assert list(grade(course)) == ["s01"]
    with pytest.raises(LookupError, match="s03 has handed in nothing"):
        grade(course, "s03")


def test_only_one_grader_at_a_time(tmp_path: Path, quick):
    from filelock import FileLock

    course = make_course(tmp_path)
    put(course.root / "submitted" / "s01" / "a1", tiny())
    (course.root / "results").mkdir()
    with (
        FileLock(course.root / "results" / ".grading.lock"),
        pytest.raises(RuntimeError, match="being graded right now"),
    ):
        grade(course)


# ---------------------------------------------------------------- feedback and configuration


def test_feedback_leaves_out_what_repeats_hidden_tests():
    notebook = kit_notebook()
    hidden = cell(notebook, "m02_2-insert_after").source
    shown = new_code_cell("print(In)")
    shown.outputs = [
        new_output("stream", name="stdout", text=f"\x1b[31m{hidden!r}"),
        new_output("execute_result", {"text/plain": repr(hidden[len(hidden) // 2 :])}),
        new_output("error", ename="E", evalue="", traceback=["before", hidden]),
        new_output("stream", name="stdout", text="an honest line"),
    ]
    test = cell(notebook, "m02_2-insert_after")
    test.outputs = [
        new_output("stream", name="stdout", text="twice_used"),
        new_output("display_data", {"text/plain": "twice_used"}),
        new_output("display_data", {"text/html": "✓"}, metadata={"pt2e_kit_judged": True}),
        new_output("error", ename="AssertionError", evalue="twice_used", traceback=["twice_used"]),
        new_output("execute_result", {"text/plain": "4.0"}),
    ]
    notebook.cells.append(shown)
    HideDetails().preprocess(notebook, {})
    assert "twice_used" not in str([shown.outputs, test.outputs]) and "watcher" not in str(shown.outputs)
    assert [o.output_type for o in test.outputs] == ["display_data", "error", "execute_result"]
    assert shown.outputs[-1].text == "an honest line"


def test_the_configuration_loads_quickly_and_for_formgrader(tmp_path: Path):
    course = make_course(tmp_path)
    code = """
import sys
from nbgrader.apps import NbGraderAPI
from nbgrader.coursedir import CourseDirectory
from nbgrader.server_extensions.formgrader.formgrader import FormgradeExtension
from traitlets.config.loader import PyFileConfigLoader
config = PyFileConfigLoader("nbgrader_config.py", path=sys.argv[1]).load_config()
api = NbGraderAPI(CourseDirectory(config=config), config=config)
print(api.get_source_assignments(), api.coursedir.root == sys.argv[1], "torch" in sys.modules, FormgradeExtension.name)
"""
    command = [sys.executable, "-c", code, str(course.root)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["{'a1'}", "True", "False", "formgrade"], done.stderr


def test_feedback_tells_of_repairs_and_limits_as_plain_text():
    notebook = new_notebook(cells=[new_code_cell("1")], metadata={"pt2e_kit_told": ["was <b>x</b> [y](javascript:z)"]})
    TellStudent().preprocess(notebook, {})
    head, _code = notebook.cells
    assert head.cell_type == "markdown" and r"was \<b\>x\</b\> \[y\]\(javascript:z\)" in head.source
    untouched = TellStudent().preprocess(new_notebook(cells=[new_code_cell("1")]), {})[0]
    assert len(untouched.cells) == 1
