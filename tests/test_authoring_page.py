"""docs/authoring.md, followed to the letter in a copy of the checkout: the exercise that comes out passes its tests."""

import re
import shlex
import sys
from pathlib import Path

import nbformat
import pytest
from commands import ROOT, copy_checkout, run

PAGE = (ROOT / "docs" / "authoring.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"(?:^(?P<cell>Cell )?`(?P<name>[\w./-]+)`\n\n)?^```(?P<kind>\w+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)
NOTEBOOK = "source/m00_graph/m00_2_reading_a_graph.ipynb"


def write_cell(path: Path, cell_id: str, text: str) -> None:
    notebook = nbformat.read(path, as_version=4)
    (cell,) = [cell for cell in notebook.cells if cell.id == cell_id]
    cell.source = text.rstrip("\n")
    nbformat.write(notebook, path)


@pytest.mark.slow
def test_the_page_leads_to_an_exercise(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("common", "pt2e_kit", "source", "tests"), ("nbgrader_config.py", "pyproject.toml"))
    kinds, said = [], []
    for step in STEP.finditer(PAGE):
        name, text = step["name"], step["text"]
        if step["kind"] == "bash":
            for line in text.splitlines():
                words = shlex.split(line)
                program = {"pt2e-kit": [sys.executable, "-m", "pt2e_kit"], "python": [sys.executable]}[words[0]]
                done = run([*program, *words[1:]], tmp_path)
                said.append(done.stdout)
                assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
        elif step["cell"]:
            write_cell(tmp_path / NOTEBOOK, name, text)
        else:
            assert (tmp_path / name).is_file(), f"the skeleton has no {name}"
            (tmp_path / name).write_text(text, encoding="utf-8")
        kinds.append("cell" if step["cell"] else step["kind"])
    assert kinds.count("cell") == 3 and kinds.count("bash") == 2 and kinds.count("python") == 9
    assert re.search(r"\b\d\d passed", said[-2]), said[-2]
    assert "✓ m00_2.readers_of_weights" in said[-1]
