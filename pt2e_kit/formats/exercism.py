"""results.json of Exercism's test runners, version 3 ("The Test Runner Interface"); docs/exercism.schema.json.

Scores have no place there: an exercise is a task, and each of its criteria a test of that task.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from common.i18n import _
from pt2e_kit.formats.words import counts, told

MOST = 16_000
"""Characters of a message: together with other bytes of a character, less than the 65535 that are read."""


def exercism(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return a result as a test runner tells it: `pass` where everything that counts is right.

    Practice, predictions and written answers are no tests. `error` where no notebook could be graded, or our side
    failed; else a notebook that is not graded is one test with status `error`.
    """
    tests: list[dict[str, Any]] = []
    task = 0
    for notebook in result["notebooks"]:
        if notebook["state"] != "graded":
            message = _short(f"{notebook['state']}: {notebook['cause']}")
            tests.append({"name": f"{notebook['name']}.ipynb", "status": "error", "message": message})
        for entry in notebook["exercises"]:
            if counts(entry):
                task += 1
                tests += _tests(entry, task)
    if result["score"] is None or result["state"] == "failed":
        causes = "\n".join(f"{n['name']}.ipynb: {n['cause']}" for n in result["notebooks"] if n["cause"])
        return {"version": 3, "status": "error", "message": _short(causes), "tests": []}
    status = "pass" if all(t["status"] == "pass" for t in tests) else "fail"
    return {"version": 3, "status": status, "message": None, "tests": tests}


def _tests(entry: Mapping[str, Any], task: int) -> Iterator[dict[str, Any]]:
    wrong = "fail" if entry["status"] == "scored" else "error"
    more: dict[str, Any] = {"task_id": task}
    if entry["kind"] == "core":
        more["test_code"] = f'check("{entry["id"]}")'
    criteria = entry["criteria"] or [{"name": "", "score": entry["score"], "max_score": entry["max_score"]}]
    for criterion in criteria:
        name = f"{entry['id']}: {criterion['name']}" if criterion["name"] else entry["id"]
        if criterion["score"] == criterion["max_score"]:
            yield {"name": name, "status": "pass"} | more
            continue
        concerned = [f for f in entry["findings"] if f["criterion"] in (None, criterion["name"] or None)]
        message = told(concerned or entry["findings"]) or _("not earned ({status})").format(status=entry["status"])
        yield {"name": name, "status": wrong, "message": _short(message)} | more


def _short(text: str) -> str:
    return text if len(text) <= MOST else text[:MOST] + " […]"
