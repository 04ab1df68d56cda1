"""The notebooks that students get run to their end, stubs in place: only checks fail."""

import shutil
import subprocess
from pathlib import Path

import nbformat
import pytest
from commands import ROOT
from nbclient import NotebookClient

from common.exercise import all_exercises

RELEASED = sorted((ROOT / "release").glob("*/*.ipynb"))


@pytest.mark.slow
@pytest.mark.parametrize("path", RELEASED, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_a_released_notebook_runs_to_its_end(path: Path, tmp_path: Path) -> None:
    shutil.copytree(path.parent, tmp_path / "mine")
    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": str(tmp_path / "mine")}}
    client = NotebookClient(notebook, timeout=120, allow_errors=True, coalesce_streams=True, resources=place)
    client.execute(stderr=subprocess.DEVNULL)  # ipykernel's remarks on its own sockets
    code = [c for c in notebook.cells if c.cell_type == "code"]
    for cell in code:
        errors = [o for o in cell.outputs if o.output_type == "error"]
        if "check(" in cell.source:
            (error,) = errors
            assert error.ename == "CheckFailed", f"{cell.id}: {error.evalue}"
            assert "still as it was handed out" in error.evalue
            assert len(error.traceback) == 1, "a check tells its result in one line"
        else:
            assert not errors, f"{cell.id}: {errors[0].ename}: {errors[0].evalue}"
    lesson = "_".join(path.name.split("_")[:2])
    checked = {e.id for e in all_exercises() for c in code if f'check("{e.id}")' in c.source}
    assert checked == {e.id for e in all_exercises() if e.lesson == lesson}
    first = code[0]
    assert "lesson(" in first.source
    assert not [o for o in first.outputs if o.get("name") == "stderr"], "the first cell is noisy"
    (line,) = [o.text for o in first.outputs if o.get("name") == "stdout"]
    assert line.startswith(lesson) and line.count("\n") == 1
