"""An instructor autogrades, reads findings, scores a written answer, and looks at an exercise's cells: in formgrader."""

import time
from pathlib import Path
from typing import Any

import journeys
import lab
import pytest

from pt2e_kit.course import Course
from pt2e_kit.gradebook import opened
from pt2e_kit.grading import sandbox

ASSIGNMENT = "m02_by_hand"
WRITTEN = "m02_2-written-answer"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lab.why_not()), reason=lab.why_not() or "there is a browser")]


@pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap is not installed or does not work")
def test_an_instructor_grades_in_formgrader(chromium: Any, keep_picture: list[lab.Lab], tmp_path: Path):
    root = journeys.class_of(tmp_path / "course", ("s04",))
    with lab.server(root) as address:
        window = lab.Lab(chromium, address)
        keep_picture.append(window)
        window.open()
        grader = window.open_formgrader()

        said = journeys.autograde(grader, "s04")
        assert "Success" in said, said

        page = journeys.open_submission(grader, ASSIGNMENT)
        text = page.locator("body").inner_text()
        assert "its own input" in text, "the symptom that the student saw"
        score = page.locator(f"input#{WRITTEN}")
        assert page.locator(f"input#{WRITTEN}.needs_manual_grade").count(), "the written answer waits for a person"
        score.fill("2")
        score.press("Tab")

        db_url = Course(root).db_url()
        end = time.monotonic() + 30
        while (given := written_score(db_url)) is None and time.monotonic() < end:
            time.sleep(0.2)
        assert given == 2


def test_create_assignment_knows_the_cells(chromium: Any, keep_picture: list[lab.Lab], tmp_path: Path):
    root = journeys.class_of(tmp_path / "course", ())
    with lab.server(root) as address:
        window = lab.Lab(chromium, address)
        keep_picture.append(window)
        window.open(f"source/{ASSIGNMENT}/{journeys.LESSON}")
        window.select(journeys.CHECK)
        window.command("nbgrader:open-create-assignment")
        bar = window.page.locator("#jp-right-stack")
        bar.get_by_text("Total points:").wait_for()
        values = bar.locator("input").evaluate_all("found => found.map(input => input.value)")
        assert values[0] == "13", "the points of all graded cells"
        assert journeys.CHECK in values and f"{journeys.CHECK}-answer" in values


def written_score(db_url: str) -> float | None:
    """What a person gave for the written answer, as the gradebook holds it."""
    with opened(db_url) as gradebook:
        for cell in gradebook.find_submission(ASSIGNMENT, "s04").notebooks[0].grades:
            if cell.name == WRITTEN:
                return cell.manual_score
    return None
