"""Outputs of a graded notebook: what is kept of a student's, and where verdict and score stand."""

import base64
import binascii
from typing import Any

import nbformat
from nbformat import NotebookNode

from common.exercise.render import verdict_mimebundle
from pt2e_kit.notebooks import whole_text
from pt2e_kit.reading import PICTURES

JUDGED = "pt2e_kit_judged"
"""Metadata of an output that the judge's findings stand in: without it no score is saved."""


def keep_safe_outputs(notebook: NotebookNode) -> None:
    """Leave in all outputs only what cannot do anything in a browser, and what can be written as UTF-8."""
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        cell.outputs = [_safe(output) for output in cell.outputs]
        if not isinstance(cell.execution_count, int):
            cell.execution_count = None


def _safe(output: NotebookNode) -> NotebookNode:
    kind = output.output_type
    if kind == "stream":
        name = "stderr" if output.name == "stderr" else "stdout"
        return nbformat.v4.new_output("stream", name=name, text=whole_text(str(output.text)))
    if kind == "error":
        lines = [whole_text(str(line)) for line in output.traceback]
        return nbformat.v4.new_output(
            "error", ename=whole_text(str(output.ename)), evalue=whole_text(str(output.evalue)), traceback=lines
        )
    data = {mime: text for mime, value in output.data.items() if (text := _safe_data(mime, value)) is not None}
    more = {"execution_count": None} if kind == "execute_result" else {}
    return nbformat.v4.new_output(kind, data=data, metadata={}, **more)


def _safe_data(mime: str, value: Any) -> str | None:
    text = "".join(map(str, value)) if isinstance(value, list) else value
    if not isinstance(text, str):
        return None
    if mime == "text/plain":
        return whole_text(text)
    if mime in PICTURES:
        try:
            raw = base64.b64decode("".join(text.split()), validate=True)
        except (ValueError, binascii.Error):
            return None
        return base64.b64encode(raw).decode() if raw.startswith(PICTURES[mime]) else None
    return None


def show_verdict(cell: NotebookNode, verdict: dict[str, Any], points: float) -> None:
    """Put findings and score into the outputs of a test cell, in the place of what the kernel showed."""
    shown = verdict_mimebundle(verdict, graded=True)
    cell.outputs = [nbformat.v4.new_output("display_data", shown, metadata={JUDGED: True})]
    if points:
        score = {"text/plain": repr(float(verdict["score"]))}
        cell.outputs.append(nbformat.v4.new_output("execute_result", score, execution_count=cell.execution_count))


def show_score(cell: NotebookNode, score: float, points: float) -> None:
    """Leave the outputs of a plain test cell as they are, but make nbgrader read our score from them."""
    kept = [o for o in cell.outputs if not (o.output_type == "stream" and o.name == "stderr")]
    kept = [o for o in kept if o.output_type != "execute_result"]
    if score == 0 and any(o.output_type == "error" for o in kept):
        cell.outputs = kept
        return
    kept = [o for o in kept if o.output_type != "error"]
    if score != points:
        shown = {"text/plain": repr(float(score))}
        kept.append(nbformat.v4.new_output("execute_result", shown, execution_count=cell.execution_count))
    cell.outputs = kept
