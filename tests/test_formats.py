"""Results as Gradescope and Exercism read them: their schemas, the same score, and no 0 for what is our fault."""

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from grading_kit import ROOT, check_schema, grade_tiny, put, tiny, tiny_source

from pt2e_kit.cli import app
from pt2e_kit.formats import FORMATS
from pt2e_kit.formats.gradescope import NotForStudents
from pt2e_kit.grading import results
from pt2e_kit.grading.notes import Note

CAUSE = "the file is cut off"
LOOP = {
    "criterion": "spliced",
    "misconception": "m02_2.insert_after/self-loop",
    "symptom": "It loops.",
    "why": "Since.",
}
ALL = {"criterion": None, "misconception": None, "symptom": "<b>It raises.</b>", "why": ""}


def exercise(name: str, kind: str, score: float | None, *findings: dict[str, Any], **more: Any) -> dict[str, Any]:
    """An entry with two criteria of 2 points, where `kind` has criteria."""
    entry = {"id": name, "kind": kind, "score": score, "max_score": 4, "status": "scored", "criteria": []}
    if kind in ("core", "practice"):
        names = ("spliced", "found")
        entry["criteria"] = [
            {"name": n, "score": min(2, max(0, score - 2 * i)), "max_score": 2} for i, n in enumerate(names)
        ]
    return entry | {"findings": list(findings)} | more


def result(*notebooks: dict[str, Any], notes: tuple[Note, ...] = ()) -> dict[str, Any]:
    """A result that holds these notebooks; it is as docs/results.schema.json says."""
    made = results.submission(
        assignment="a1",
        student="ada",
        notebooks=list(notebooks),
        max_score=20,
        notes=notes,
        basis=dict.fromkeys(("submission", "source", "seed"), "0" * 64),
        submitted_at=None,
        graded_at="2026-01-10T23:30:00+00:00",
        seconds=1.5,
        versions={"python": "3.11"},
    )
    check_schema(made)
    return made


def graded(*entries: dict[str, Any], name: str = "p1") -> dict[str, Any]:
    """A notebook that is graded."""
    return results.notebook_entry(name, "graded", None, list(entries))


def lost(state: str = "unreadable", name: str = "p2") -> dict[str, Any]:
    """A notebook that is not."""
    return results.notebook_entry(name, state, CAUSE, [])


def made(form: str, given: dict[str, Any]) -> dict[str, Any]:
    """The result in another form; it fits that form's schema and into JSON."""
    before = copy.deepcopy(given)
    found = FORMATS[form](given)
    schema = json.loads((ROOT / "docs" / f"{form}.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(json.loads(json.dumps(found, allow_nan=False)))
    assert given == before
    return found


EVERYTHING = (
    exercise("m02_2.a", "core", 2, LOOP),
    exercise("m02_2.b", "practice", 4),
    exercise("m02_2.c", "prediction", 0, ALL, max_score=0),
    exercise("m02_2-w-answer", "written", None, status="manual"),
    exercise("plain", "plain", 3.5, max_score=4),
    exercise("m02_2.d", "core", 0, ALL, status="timeout"),
)


def by_name(found: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {test["name"]: test for test in found["tests"]}


def test_the_schemas_are_schemas() -> None:
    for form in ("gradescope", "exercism"):
        jsonschema.Draft202012Validator.check_schema(
            json.loads((ROOT / "docs" / f"{form}.schema.json").read_text(encoding="utf-8"))
        )


def test_gradescope_gives_the_same_score() -> None:
    given = result(graded(*EVERYTHING))
    found = made("gradescope", given)
    assert found["score"] == given["score"] == 5.5
    assert sum(test.get("score", 0) for test in found["tests"]) == 5.5
    tests = by_name(found)
    assert (tests["m02_2.a"]["score"], tests["m02_2.a"]["max_score"], tests["m02_2.a"]["status"]) == (2, 4, "failed")
    assert "It loops.\nWhy: Since." in tests["m02_2.a"]["output"]
    assert "✓ spliced (2/2)\n✗ found (0/2)" in tests["m02_2.a"]["output"]
    for name in ("m02_2.b", "m02_2.c", "m02_2-w-answer"):
        assert "score" not in tests[name], "only what counts has points"
    assert (tests["m02_2.b"]["status"], tests["m02_2.c"]["status"]) == ("passed", "failed")
    assert "status" not in tests["m02_2-w-answer"] and "by hand" in tests["m02_2-w-answer"]["output"]


def test_gradescope_shows_no_html_and_tells_students_no_suspicions() -> None:
    notes = (Note("suspicion", "a test was edited"), Note("limit", "cell x was stopped"), Note("environment", "open"))
    found = made("gradescope", result(graded(*EVERYTHING), notes=notes))
    assert {found["output_format"], found["test_output_format"], found["test_name_format"]} == {"text"}
    assert "cell x was stopped" in found["output"]
    assert "edited" not in json.dumps(found)
    assert found["stdout_visibility"] == "hidden"


@pytest.mark.parametrize("state", ["missing", "unreadable", "ambiguous"])
def test_a_notebook_that_cannot_be_graded(state: str) -> None:
    found = made("gradescope", result(lost(state)))
    assert found["score"] == 0
    assert found["tests"] == [{"name": "p2.ipynb", "score": 0, "status": "failed", "output": f"{state}: {CAUSE}"}]
    found = made("exercism", result(lost(state)))
    assert (found["status"], found["message"], found["tests"]) == ("error", f"p2.ipynb: {CAUSE}", [])


def test_one_bad_notebook_costs_no_other() -> None:
    given = result(graded(exercise("m02_2.a", "core", 4)), lost())
    found = made("gradescope", given)
    assert found["score"] == 4
    assert [test["name"] for test in found["tests"]] == ["p1: m02_2.a", "p2.ipynb"]
    found = made("exercism", given)
    assert [test["status"] for test in found["tests"]] == ["pass", "pass", "error"]
    assert found["status"] == "fail"


def test_what_is_our_fault_is_never_a_score() -> None:
    given = result(graded(exercise("m02_2.a", "core", 4)), lost("failed"))
    with pytest.raises(NotForStudents, match=CAUSE):
        FORMATS["gradescope"](given)
    assert made("exercism", given)["status"] == "error"


def test_exercism_tells_each_criterion_of_what_counts() -> None:
    found = made("exercism", result(graded(*EVERYTHING)))
    told = [(test["name"], test["status"], test["task_id"]) for test in found["tests"]]
    assert told == [
        ("m02_2.a: spliced", "pass", 1),
        ("m02_2.a: found", "fail", 1),
        ("plain", "fail", 2),
        ("m02_2.d: spliced", "error", 3),
        ("m02_2.d: found", "error", 3),
    ]
    assert found["status"] == "fail"
    assert by_name(found)["m02_2.d: found"]["message"] == "<b>It raises.</b>"
    assert by_name(found)["m02_2.a: spliced"]["test_code"] == 'check("m02_2.a")'
    assert made("exercism", result(graded(exercise("m02_2.a", "core", 4))))["status"] == "pass"


def test_long_messages_are_cut() -> None:
    endless = ALL | {"symptom": "\N{GRINNING FACE}" * 100_000}
    found = made("exercism", result(graded(exercise("m02_2.a", "core", 0, endless))))
    assert all(len(test["message"].encode()) < 65535 for test in found["tests"])


# -- the command


def grade_one(
    folder: Path, form: str, capsys: pytest.CaptureFixture[str], data: bytes | None = None
) -> tuple[int, Any]:
    """Run `pt2e-kit grade-one --format`; return its exit code and what it wrote."""
    folder.mkdir(exist_ok=True)
    (folder / "seed").write_text("a class seed for tests only")
    source, handed_in = tiny_source(folder), put(folder / "ada", data or tiny())
    out = folder / "out" / "results.json"
    arguments = ["grade-one", "--source", source, "--submission", handed_in, "--out", out, "--format", form]
    with pytest.raises(SystemExit) as left:
        app([*map(str, arguments), "--seed-file", str(folder / "seed"), "--unsafe-no-sandbox"])
    capsys.readouterr()
    return int(left.value.code or 0), json.loads(out.read_text(encoding="utf-8")) if out.exists() else None


def test_the_command_writes_each_form(quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, plain = grade_one(tmp_path / "r", "results", capsys)
    assert (code, plain["schema"]) == (0, results.SCHEMA_ID)
    code, found = grade_one(tmp_path / "g", "gradescope", capsys)
    assert (code, found["score"]) == (0, plain["score"]) and plain["score"]
    code, found = grade_one(tmp_path / "e", "exercism", capsys)
    assert (code, found["version"], found["status"]) == (0, 3, "pass")
    code, found = grade_one(tmp_path / "x", "xml", capsys)
    assert (code, found) == (2, None)


def test_the_command_on_a_file_that_cannot_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    codes = {f: grade_one(tmp_path / f, f, capsys, data=b'{"cells": [')[0] for f in FORMATS}
    assert codes == {"results": 1, "gradescope": 0, "exercism": 0}


def test_no_old_result_stays_where_grading_failed(
    quick: None, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from pt2e_kit.grading import notebook

    def broken(*_more: Any) -> None:
        raise OSError("no space left")

    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "results.json").write_text("{}")
    monkeypatch.setattr(notebook, "judge_exercises", broken)
    assert grade_one(tmp_path, "gradescope", capsys) == (1, None)


@pytest.mark.slow
def test_a_real_result(tmp_path: Path) -> None:
    given = grade_tiny(tmp_path).result
    assert made("gradescope", given)["score"] == given["score"]
    assert made("exercism", given)["status"] in ("pass", "fail")
