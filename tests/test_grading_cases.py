"""Damaged and dishonest submissions of a plain course: each must come out right (tests/cases)."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from grading_kit import QUICK, grade, make_cases, notes, tiny_source

from pt2e_kit.settings import Limits

EXPECTED: dict[str, dict[str, Any]] = json.loads((Path(__file__).parent / "cases" / "expected.json").read_text())


def test_every_case_has_an_expectation():
    assert set(EXPECTED) == set(make_cases.CASES)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_case(name: str, tmp_path: Path):
    expected = EXPECTED[name]
    source = tiny_source(tmp_path)
    make_cases.write_case(str(tmp_path), name)

    loads_torch = name == "torchao_import_in_answer"
    graded = grade(source, tmp_path / name, limits=Limits(cell_seconds=120) if loads_torch else QUICK)

    result = graded.result
    assert result["state"] in expected["states"]
    if expected["points"] is None:
        assert result["score"] is None and not graded.notebooks
    else:
        exercises = result["notebooks"][0]["exercises"]
        points = [e["score"] for e in exercises if e["kind"] == "plain"]
        allowed = [expected["points"], expected.get("alt")]
        assert points in allowed or (expected["flag"] and notes(graded, "suspicion")), notes(graded)
        assert result["score"] == sum(points) and result["max_score"] == 9
    if expected["note"]:
        assert re.search(expected["note"], notes(graded), re.IGNORECASE)
