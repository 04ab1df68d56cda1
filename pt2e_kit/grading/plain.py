"""Score an instructor's own nbgrader cells (asserts, a shown partial score) from what running them gave."""

import ast
import math
from dataclasses import dataclass
from typing import Any

from nbformat import NotebookNode

from common.exercise.source import parse
from common.i18n import _
from pt2e_kit.grading.notes import Note, printable


@dataclass(frozen=True)
class PlainScore:
    """Score of one plain test cell."""

    score: float
    status: str
    symptom: str = ""
    note: Note | None = None


def score(cell: NotebookNode, status: str, max_points: float) -> PlainScore:
    """Return the score of an executed test cell as nbgrader gives it, with two differences.

    What stands on stderr costs nothing, and a shown value that is no number from 0 to the maximum (nan, negative,
    True, above the maximum) earns nothing and is noted. `status` is "ok", "error", "timeout", "died" or "missing".
    """
    if status != "ok":
        return PlainScore(0, status if status in ("timeout", "died", "missing") else "scored", _symptom(cell, status))
    if any(output.output_type == "error" for output in cell.outputs):
        return PlainScore(0, "scored", _symptom(cell, "error"))
    shown = [output for output in cell.outputs if output.output_type == "execute_result"]
    own = shown[-1:] if _ends_with_expression(cell.source) else []
    scored = _partial(cell, own[0], max_points) if own else PlainScore(max_points, "scored")
    if len(shown) > len(own) and scored.note is None:
        text = _("test cell {id} shows more results than its own; only its own counts")
        note = Note("suspicion", text.format(id=cell.metadata["nbgrader"]["grade_id"]))
        return PlainScore(scored.score, scored.status, scored.symptom, note)
    return scored


def _ends_with_expression(source: str) -> bool:
    """Whether the cell itself shows a result: that of its last line. Others come from the answer."""
    try:
        body = parse(source).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return True  # magics: IPython knows better
    return bool(body) and isinstance(body[-1], ast.Expr)


def _partial(cell: NotebookNode, output: NotebookNode, max_points: float) -> PlainScore:
    shown = str(output.get("data", {}).get("text/plain", "")).strip()
    value = _number(shown)
    if value is None or not 0 <= value <= max_points:
        grade_id = cell.metadata["nbgrader"]["grade_id"]
        text = _("test cell {id} shows {value!r}, which is no score from 0 to {max:g}; it earns nothing")
        return PlainScore(
            0, "scored", "", Note("suspicion", text.format(id=grade_id, value=shown[:60], max=max_points))
        )
    return PlainScore(value, "scored")


def _number(text: str) -> float | None:
    try:
        value: Any = ast.literal_eval(parse(text, "eval"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        return None
    return float(value)


def _symptom(cell: NotebookNode, status: str) -> str:
    if status == "timeout":
        return _("The test did not come to its end in the time allowed.")
    if status == "died":
        return _("The process ended while the test ran.")
    names = [printable(o.get("ename", ""))[:100] for o in cell.get("outputs", []) if o.output_type == "error"]
    return _("The test ended with {name}.").format(name=names[0] if names else _("an error"))
