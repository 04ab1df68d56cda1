"""Instructor notebooks, executed, with hidden tests removed: what self-learners read."""

import copy
import os
import subprocess
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbformat import NotebookNode

from common.exercise.progress import FILE_VARIABLE
from common.i18n import _
from pt2e_kit.authoring.digest import stamp
from pt2e_kit.authoring.explained import split_explained
from pt2e_kit.authoring.fmt import canonical_text
from pt2e_kit.course import Course
from pt2e_kit.notebooks import without_hidden

CELL_SECONDS = 120
MAX_BYTES = 2**20
MARKS = ("### BEGIN SOLUTION", "### END SOLUTION")


def solutions(root: Path, assignment: str) -> list[Path]:
    """Execute the lessons of an assignment into solutions/; return the notebooks, relative to the course.

    Raises:
        LookupError: there is no such assignment.
        RuntimeError: a cell raised (a check that fails included), or a notebook is larger than 1 MiB.
    """
    source = Course(root).source(assignment)
    written = []
    for path in sorted(source.glob("*.ipynb")):
        original = nbformat.read(path, as_version=4)
        made = execute_solution(original, path.name, source)
        text = _without_paths(canonical_text(made), root)
        if len(text.encode()) > MAX_BYTES:
            raise RuntimeError(_("{name}: the executed notebook is larger than 1 MiB").format(name=path.name))
        target = root / "solutions" / assignment / path.name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        written.append(target.relative_to(root))
    return written


def execute_solution(original: NotebookNode, name: str, folder: Path) -> NotebookNode:
    """Return the executed notebook, without hidden tests, solution marks and nbgrader's metadata.

    What the instructor says about a solution stands below it (see `explained`).
    """
    notebook = copy.deepcopy(original)
    stamp(notebook, original)
    notebook.cells = [shown for cell in notebook.cells for shown in _with_explanation(cell)]
    for cell in notebook.cells:
        source = without_hidden(cell.source) if cell.cell_type == "code" else cell.source
        cell.source = "\n".join(line for line in source.split("\n") if not line.strip().startswith(MARKS))
        cell.metadata = NotebookNode()
    client = NotebookClient(
        notebook,
        timeout=CELL_SECONDS,
        allow_errors=True,
        record_timing=False,
        coalesce_streams=True,  # where a stream is cut is chance
        store_widget_state=False,
        resources={"metadata": {"path": str(folder)}},
    )
    not_noted = os.environ | {FILE_VARIABLE: "off"}  # the instructor's answers are nobody's progress
    client.execute(stderr=subprocess.DEVNULL, env=not_noted)  # stderr: ipykernel's remarks on its own sockets
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                text = _("{name}, cell {id}: {kind}: {message}")
                raise RuntimeError(text.format(name=name, id=cell.id, kind=output.ename, message=output.evalue))
    _tidy(notebook)
    return notebook


def _with_explanation(cell: NotebookNode) -> list[NotebookNode]:
    """A cell and, below an answer, why it is solved so and another way."""
    if cell.cell_type != "code":
        return [cell]
    cell.source, explained = split_explained(cell.source)
    if not explained.markdown:
        return [cell]
    return [cell, nbformat.v4.new_markdown_cell(explained.markdown, id=f"{cell.id}-explained"[:64])]


def _tidy(notebook: NotebookNode) -> None:
    """Leave out what differs from run to run and what a reader does not need."""
    notebook.metadata.pop("language_info", None)
    for cell in notebook.cells:
        outputs: list[Any] = cell.get("outputs", [])
        cell_streams = [o for o in outputs if not (o.output_type == "stream" and o.name == "stderr")]
        if outputs:
            cell.outputs = cell_streams


def _without_paths(text: str, root: Path) -> str:
    text = text.replace(str(root.resolve()) + "/", "")
    home = str(Path.home())
    return text if home == "/" else text.replace(home + "/", "~/")
