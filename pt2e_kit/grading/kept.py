"""What running a notebook gave, kept on disk, so that it can be judged again without running it.

`<folder>/<notebook>/`: ``executed.ipynb`` (rebuilt and executed, before any verdict), ``run.json`` (how each cell
ended, notes, and the digest of what was run) and ``evidence/``.
"""

import hashlib
import json
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.executed import Executed
from pt2e_kit.grading.notes import Note
from pt2e_kit.grading.results import write_json


class NothingKept(LookupError):
    """There is no run that could be judged again; the message says why."""


@dataclass
class Kept:
    """A run: the notebook with its outputs, how its cells ended, and its evidence."""

    notebook: NotebookNode
    executed: Executed
    evidence: Path


def digest(notebook: NotebookNode) -> str:
    """SHA-256 of what is run: the code cells and their kind, without points and texts."""
    cells = [
        [c.source, bool(c.metadata.get("nbgrader", {}).get("grade")), c.metadata.get("nbgrader", {}).get("grade_id")]
        for c in notebook.cells
        if c.cell_type == "code"
    ]
    return hashlib.sha256(json.dumps(cells).encode()).hexdigest()


def keep(folder: Path, name: str, what: str, notebook: NotebookNode, executed: Executed, evidence: Path) -> None:
    """Put a run in the place of the one that was kept before; `what` is the digest of what was run."""
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.glob(".new-*"):  # by a grader that was killed
        shutil.rmtree(left, ignore_errors=True)
    new = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        shutil.copytree(evidence, new / "evidence")
        nbformat.write(notebook, new / "executed.ipynb")
        statuses = {str(index): status for index, status in executed.statuses.items()}
        notes = [note.as_dict() for note in executed.notes]
        write_json(new / "run.json", {"digest": what, "statuses": statuses, "notes": notes})
        shutil.rmtree(folder / name, ignore_errors=True)
        new.rename(folder / name)
    except BaseException:
        shutil.rmtree(new, ignore_errors=True)
        raise


def load(folder: Path, name: str, rebuilt: NotebookNode) -> Kept:
    """Return the run that was kept of a notebook, with the points and texts of `rebuilt`.

    Raises:
        NothingKept: there is none, or something else was run than would be run now.
    """
    try:
        run = json.loads((folder / name / "run.json").read_text(encoding="utf-8"))
        notebook = nbformat.read(folder / name / "executed.ipynb", as_version=4)
    except (OSError, ValueError):
        raise NothingKept(_("no run of {name} was kept; grade it anew").format(name=name)) from None
    if run["digest"] != digest(rebuilt):
        text = _("{name} was run with other cells (its tests, cases or answers have changed); grade it anew")
        raise NothingKept(text.format(name=name))
    statuses = {int(index): status for index, status in run["statuses"].items()}
    notes = [Note(n["kind"], n["message"]) for n in run["notes"]]
    ran = iter(c for c in notebook.cells if c.cell_type == "code")
    for cell in rebuilt.cells:
        if cell.cell_type == "code":
            cell.outputs = next(ran).outputs
    code = [i for i, c in enumerate(notebook.cells) if c.cell_type == "code"]
    now = [i for i, c in enumerate(rebuilt.cells) if c.cell_type == "code"]
    places = dict(zip(code, now, strict=True))  # texts may have moved what stands between
    executed = Executed({places[i]: status for i, status in statuses.items() if i in places}, notes)
    return Kept(rebuilt, executed, folder / name / "evidence")
