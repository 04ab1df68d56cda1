"""The demo class through the pipeline and into the gradebook: scores, states, and what feedback pages show."""

import re
import shutil
from pathlib import Path

import pytest
from grading_kit import ROOT, check_schema

from common.exercise import all_exercises
from pt2e_kit.course import Course
from pt2e_kit.demo import ASSIGNMENT, NOTEBOOK, make_course
from pt2e_kit.notebooks import HIDDEN, read_notebook
from pt2e_kit.record import grade_assignment, write_feedback

STUDENTS = ["s04", "s10", "s11", "s12"]


@pytest.mark.slow
def test_the_demo_class(tmp_path: Path):
    course = make_course(tmp_path / "class")
    for student in set(course.submissions(ASSIGNMENT)) - set(STUDENTS):
        shutil.rmtree(course.root / "submitted" / student)

    outcome = grade_assignment(course, ASSIGNMENT, seed_file=tmp_path / "seed", jobs=2)

    results = outcome.results
    assert outcome.all_graded and list(results) == STUDENTS
    for result in results.values():
        check_schema(result)
        assert result["max_score"] == 10
        kinds = [e["kind"] for e in result["notebooks"][0]["exercises"]]
        assert kinds == ["core", "practice", "core", "prediction", "practice", "written"]
    kinds_of_notes = {s: {n["kind"] for n in r["notes"]} for s, r in results.items()}
    assert results["s04"]["score"] == 5
    assert results["s10"]["score"] == 0 and "suspicion" in kinds_of_notes["s10"]
    assert results["s11"]["score"] == 10 and "repair" in kinds_of_notes["s11"]
    statuses = {e["status"] for e in results["s12"]["notebooks"][0]["exercises"]}
    assert "timeout" in statuses and "limit" in kinds_of_notes["s12"]
    assert all(n["message"] for r in results.values() for n in r["notes"])

    assert nbgrader_scores(course) == {s: r["score"] for s, r in results.items()}
    pages = write_feedback(course, ASSIGNMENT)
    assert [p.parent.parent.name for p in pages] == STUDENTS
    for page in pages:
        look_at(page.read_text(encoding="utf-8"), results[page.parent.parent.name])


def nbgrader_scores(course: Course) -> dict[str, float]:
    """The automatic scores in the gradebook, by student."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        return {
            s.student.id: sum(g.auto_score or 0 for n in s.notebooks for g in n.grades)
            for s in gradebook.find_assignment(ASSIGNMENT).submissions
        }


def look_at(page: str, result: dict) -> None:
    """A feedback page shows criteria, symptoms and why, and nothing of the hidden tests or of the machine."""
    import html

    text = html.unescape(re.sub(r"<[^>]+>", "", page[page.index("</head>") :]))
    for entry in result["notebooks"][0]["exercises"]:
        for criterion in entry["criteria"]:
            assert criterion["name"] in text
        for finding in entry["findings"]:
            for said in (finding["symptom"], finding["why"]):  # code and emphasis are tags on the page
                assert re.sub("[`*]", "", said) in text.replace("*", "")
    source = read_notebook((ROOT / "source" / ASSIGNMENT / NOTEBOOK).read_bytes())
    regions = [region for cell in source.cells for region in HIDDEN.findall(cell.source)]
    public = repr([exercise.public_cases for exercise in all_exercises() if exercise.id.startswith("m02_2.")])
    shown = set(re.findall(r"\w+", public)) | {
        word for cell in source.cells for word in re.findall(r"\w+", HIDDEN.sub("", cell.source))
    }
    secret = {word for region in regions for word in re.findall(r'"(\w+)"', region)} - shown
    assert {"twice_used", "watcher", "conv_chain"} <= secret
    assert not secret & set(re.findall(r"\w+", text))
    for ours in ("evidence(", "HIDDEN TESTS", "NotJudged", "Marking guide", '"seed"', "'seed'", "/kit/", str(ROOT)):
        assert ours not in text
    assert "<script>alert" not in page
