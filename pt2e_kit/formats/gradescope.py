"""results.json as Gradescope reads it (its "Autograder Specifications"); schema in docs/gradescope.schema.json."""

from collections.abc import Mapping
from typing import Any

from common.i18n import _
from pt2e_kit.formats.words import counts, number, right, told

FOR_STUDENTS = ("repair", "limit")
"""Notes that the student may read as well: what was mended, and where their code ran into a limit."""


class NotForStudents(RuntimeError):
    """A result that must not become a score: our side failed."""


def gradescope(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result in Gradescope's form.

    `score` is the sum of core exercises and plain cells; so only these carry points. Practice, predictions and
    written answers are entries without points. A notebook that is missing or cannot be read is a failed entry.
    All texts are plain: Gradescope would show a top-level output as HTML unless it is told not to.

    Raises:
        NotForStudents: the state is `failed`. Gradescope takes a result without a score for 0, but says that the
            autograder failed where there is no result at all.
    """
    if result["state"] == "failed":
        causes = "; ".join(n["cause"] for n in result["notebooks"] if n["state"] == "failed")
        text = _("grading failed, and that is not the student's fault, so there is no result: {causes}")
        raise NotForStudents(text.format(causes=causes))
    several = len(result["notebooks"]) > 1
    tests = []
    for notebook in result["notebooks"]:
        if notebook["state"] != "graded":
            tests.append(_not_graded(notebook))
        tests += [_test(entry, notebook["name"] if several else "") for entry in notebook["exercises"]]
    return {
        "score": result["score"] or 0,
        "execution_time": result["seconds"],
        "output": _summary(result),
        "output_format": "text",
        "test_output_format": "text",
        "test_name_format": "text",
        "stdout_visibility": "hidden",
        "extra_data": {name: result[name] for name in ("schema", "state", "max_score", "basis", "versions")},
        "tests": tests,
    }


def _summary(result: Mapping[str, Any]) -> str:
    lines = [
        _("{score} of {max} points are given automatically.").format(
            score=number(result["score"] or 0), max=number(result["max_score"])
        )
    ]
    lines += [note["message"] for note in result["notes"] if note["kind"] in FOR_STUDENTS]
    return "\n".join(lines)


def _not_graded(notebook: Mapping[str, Any]) -> dict[str, Any]:
    output = f"{notebook['state']}: {notebook['cause']}"
    return {"name": f"{notebook['name']}.ipynb", "score": 0, "status": "failed", "output": output}


def _test(entry: Mapping[str, Any], notebook: str) -> dict[str, Any]:
    test: dict[str, Any] = {"name": f"{notebook}: {entry['id']}" if notebook else entry["id"]}
    lines = [told(entry["findings"])] if entry["findings"] else []
    lines += [f"{'✓' if c['score'] == c['max_score'] else '✗'} {_criterion(c)}" for c in _shown_criteria(entry)]
    if counts(entry):
        test |= {"score": entry["score"], "max_score": entry["max_score"]}
    elif entry["kind"] == "written":
        text = _("nothing was written") if entry["status"] == "missing" else _("is marked by hand")
        lines.append(text)
    elif entry["kind"] == "practice":
        text = _("practice: {score} of {max}, and nothing of it counts")
        lines.append(text.format(score=number(entry["score"]), max=number(entry["max_score"])))
    if entry["kind"] != "written":
        test["status"] = "passed" if right(entry) else "failed"
    if lines:
        test["output"] = "\n".join(lines)
    return test


def _shown_criteria(entry: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [c for c in entry["criteria"] if c["max_score"]]


def _criterion(criterion: Mapping[str, Any]) -> str:
    return f"{criterion['name']} ({number(criterion['score'])}/{number(criterion['max_score'])})"
