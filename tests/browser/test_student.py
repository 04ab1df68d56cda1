"""A student opens a lesson, is wrong, sees why, is right, and sees what is solved: in a real browser."""

from pathlib import Path
from typing import Any

import journeys
import lab
import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(lab.why_not()), reason=lab.why_not() or "there is a browser")]


def test_a_student_learns_from_a_wrong_answer(chromium: Any, keep_picture: list[lab.Lab], tmp_path: Path):
    with lab.server(journeys.students_folder(ROOT, tmp_path / "lessons")) as address:
        window = lab.Lab(chromium, address)
        keep_picture.append(window)
        assert "m02_2" in journeys.begin_lesson(window)

        told = journeys.answer(window, journeys.WRONG)
        assert "✗" in told and "its own input" in told, told
        output = window.output(journeys.CHECK)
        assert output.locator("svg:has-text('conv2d')").count(), "the picture of the wrong graph"
        assert "Traceback" not in told

        why = journeys.unfold(window, journeys.CHECK, "Why")
        assert "replace_all_uses_with" in why.inner_text()
        first_hint = journeys.unfold(window, journeys.CHECK, "Hint")
        assert len(first_hint.inner_text().strip().splitlines()) > 1

        told = journeys.answer(window, journeys.RIGHT)
        assert "✓" in told and "✗" not in told, told
        assert "m02_2.observer_from_spec" in told, "what to try next"

        shown = window.run(window.insert_below(journeys.CHECK, 'from common import progress\n\nprogress("m02_2")'))
        assert "insert_after" in shown and "✓" in shown

        said = window.validate()
        assert "observer_from_spec" in said and "insert_after" not in said.replace("m02_2.insert_after-", ""), said

        assert window.is_locked(journeys.CHECK), "nbgrader's extension locks the check"
