"""results.json: the result of one submission as plain data. Its JSON Schema stands in docs/results.schema.json."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pt2e_kit.grading.notes import WORST_FIRST, Note, printable

SCHEMA_ID = "pt2e-kit.results/1"
SCORED_KINDS = ("core", "plain")
"""Kinds whose scores make the score of a submission."""


def finding(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Return a finding as results tell it: without details and pictures, which are for the student's notebook."""
    return {name: entry[name] for name in ("criterion", "misconception", "symptom", "why")}


def exercise_entry(verdict: Mapping[str, Any]) -> dict[str, Any]:
    """Return the entry of one of the kit's exercises from the judge's verdict."""
    entry = {name: verdict[name] for name in ("id", "kind", "score", "max_score", "status")}
    entry["criteria"] = [{k: c[k] for k in ("name", "score", "max_score")} for c in verdict["criteria"]]
    entry["findings"] = [finding(f) for f in verdict["findings"]]
    return entry


def cell_entry(
    grade_id: str, kind: str, score: float | None, max_score: float, status: str, symptom: str = ""
) -> dict[str, Any]:
    """Return the entry of a plain or written cell."""
    findings = [{"criterion": None, "misconception": None, "symptom": symptom, "why": ""}] if symptom else []
    return {
        "id": grade_id,
        "kind": kind,
        "score": score,
        "max_score": max_score,
        "status": status,
        "criteria": [],
        "findings": findings,
    }


def notebook_entry(name: str, state: str, cause: str | None, exercises: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the entry of one notebook; `cause` says why it is not graded."""
    return {"name": name, "state": state, "cause": cause, "exercises": exercises}


def submission(
    *,
    assignment: str,
    student: str,
    notebooks: list[dict[str, Any]],
    max_score: float,
    notes: Iterable[Note],
    **times: Any,
) -> dict[str, Any]:
    """Put the result of a submission together; the score is None where no notebook could be graded."""
    state = next((s for s in WORST_FIRST if any(n["state"] == s for n in notebooks)), "missing")
    scored = [e for n in notebooks if n["state"] == "graded" for e in n["exercises"] if e["kind"] in SCORED_KINDS]
    graded = any(n["state"] == "graded" for n in notebooks)
    return {
        "schema": SCHEMA_ID,
        "assignment": assignment,
        "student": student,
        "state": state,
        "score": sum(e["score"] for e in scored) if graded else None,
        "max_score": max_score,
        "notebooks": notebooks,
        "notes": [printable(note.as_dict()) for note in dict.fromkeys(notes)],
        **times,
    }


def keep_earlier(result: dict[str, Any], before: Mapping[str, Any]) -> None:
    """Add to notebooks that are not graded now what an earlier grading gave: the gradebook still holds it."""
    old = {n["name"]: n for n in before["notebooks"]}
    for notebook in result["notebooks"]:
        earlier = old.get(notebook["name"])
        if notebook["state"] == "graded" or earlier is None:
            continue
        if earlier["state"] == "graded":
            scored = [e for e in earlier["exercises"] if e["kind"] in SCORED_KINDS]
            notebook["earlier"] = {
                "score": sum(e["score"] for e in scored),
                "submitted_at": before["submitted_at"],
                "graded_at": before["graded_at"],
                "basis": before["basis"],
                "exercises": earlier["exercises"],
            }
        elif "earlier" in earlier:
            notebook["earlier"] = earlier["earlier"]


def scores_of(result: Mapping[str, Any]) -> dict[str, Any]:
    """Return state and scores by notebook and exercise: what two results of one submission are compared by."""
    found: dict[str, Any] = {}
    for notebook in result["notebooks"]:
        found[notebook["name"]] = notebook["state"]
        for entry in notebook["exercises"]:
            found[entry["id"]] = (entry["score"], entry["max_score"])
    return found


def failed(result: Mapping[str, Any], cause: str) -> dict[str, Any]:
    """Return the result of a submission that was graded, but whose scores could not be kept."""
    notebooks = [
        notebook_entry(n["name"], "failed", printable(cause), []) if n["state"] == "graded" else n
        for n in result["notebooks"]
    ]
    return {**result, "state": "failed", "score": None, "notebooks": notebooks}


def write_json(path: Path, result: Mapping[str, Any]) -> None:
    """Write a result whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    text = json.dumps(result, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    part.write_text(text, encoding="utf-8", errors="backslashreplace")  # as JSON itself escapes a lone surrogate
    part.replace(path)
