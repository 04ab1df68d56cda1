"""What all formats tell in the same words."""

from collections.abc import Iterable, Mapping
from typing import Any

from common.i18n import _


def told(findings: Iterable[Mapping[str, Any]]) -> str:
    """Return findings as plain text, each once: what happened, and the wrong idea behind it."""
    lines: dict[str, None] = {}
    for finding in findings:
        why = _("Why: {text}").format(text=finding["why"]) if finding["why"] else ""
        lines["\n".join(part for part in (finding["symptom"], why) if part)] = None
    return "\n".join(lines)


def number(value: float) -> str:
    """A score as people write it."""
    return f"{value:g}"


def counts(entry: Mapping[str, Any]) -> bool:
    """Whether an exercise is part of the score."""
    return entry["kind"] in ("core", "plain")


def right(entry: Mapping[str, Any]) -> bool:
    """Whether nothing is missing in an exercise."""
    return entry["score"] == entry["max_score"] and not entry["findings"]


def for_instructors(result: Mapping[str, Any]) -> list[str]:
    """Return what an instructor should know of a result, one a line: state, causes, notes. Not safe to print as it is."""
    lines = [f"{result['student']}: {result['state']}, {result['score']} of {result['max_score']}"]
    lines += [f"{n['name']}: {n['state']}: {n['cause']}" for n in result["notebooks"] if n["cause"]]
    return lines + [f"{note['kind']}: {note['message']}" for note in result["notes"]]
