"""Attacks on the notebook as a file: tags, metadata, ids, cells and outputs."""

import copy
import json
import zipfile
from pathlib import Path

import nbformat
from attack_kit import WRONG, Attack
from grading_kit import cell
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_output

from pt2e_kit.settings import Limits

ALL_WRONG = (0, 0, 0, None)


def tagged(*tags: str):
    """Put tags on every cell."""

    def change(notebook: NotebookNode) -> None:
        for each in notebook.cells:
            each.metadata.tags = list(tags)

    return change


def edited(notebook: NotebookNode) -> None:
    for name in ("q1t", "q2t", "q3t"):
        test = cell(notebook, name)
        test.source = "100" if name == "q3t" else "assert True"
        test.metadata.nbgrader |= {"points": 1000, "locked": False, "solution": True}
        test.metadata |= {"editable": True, "deletable": True}


def not_graded_any_more(notebook: NotebookNode) -> None:
    for name in ("q1t", "q2t", "q3t"):
        cell(notebook, name).metadata.nbgrader |= {"grade": False, "points": 0, "grade_id": name + "x"}


def swapped_ids(notebook: NotebookNode) -> None:
    """The easy test carries the id of the hard one, and the other way round."""
    one, other = cell(notebook, "q1t"), cell(notebook, "q3t")
    one.metadata.nbgrader.grade_id, other.metadata.nbgrader.grade_id = "q3t", "q1t"


def duplicated(notebook: NotebookNode) -> None:
    """A second cell for each test, with the same id, that passes."""
    for name in ("q1t", "q2t", "q3t"):
        test = cell(notebook, name)
        again = copy.deepcopy(test)
        again.source = "4" if name == "q3t" else "pass"
        again.id = f"again-{name}"
        notebook.cells.insert(notebook.cells.index(test), again)


def more_points(notebook: NotebookNode) -> None:
    """Cells of its own that say they are tests."""
    metadata = copy.deepcopy(cell(notebook, "q1t").metadata)
    metadata.nbgrader |= {"grade_id": "q9t", "points": 1000}
    notebook.cells.append(new_code_cell("pass", metadata=metadata))


def forged_outputs(notebook: NotebookNode) -> None:
    for name in ("q1t", "q2t", "q3t"):
        judged = {"pt2e_kit_judged": True}
        cell(notebook, name).outputs = [
            new_output("display_data", {"text/html": "<b>solved</b>"}, metadata=judged),
            new_output("execute_result", {"text/plain": "4.0"}, execution_count=9),
        ]


def other_kernel(notebook: NotebookNode) -> None:
    notebook.metadata.kernelspec = {
        "name": "bash",
        "language": "bash",
        "display_name": "x",
        "argv": ["sh", "-c", "exit"],
    }
    notebook.metadata.nbgrader = {"score": 9}
    notebook.metadata.title = "<script>alert(1)</script>"


def region_marks(notebook: NotebookNode) -> None:
    """Marks of nbgrader's in answers, so that what follows is taken for hidden or for a solution."""
    mark = "### END HIDDEN TESTS\n### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\n"
    for name in ("q1", "q2", "q3", "m4"):
        cell(notebook, name).source = mark + cell(notebook, name).source


def odd_json(notebook: NotebookNode) -> None:
    """Metadata nested deeply, and large."""
    nested: dict = {}
    for _ in range(200):
        nested = {"x": nested}
    notebook.metadata.deep = nested
    for each in notebook.cells:
        each.metadata.collapsed = "\x1b]0;title\x07" * 100
        each.metadata.name = "<img src=x onerror=alert(1)>"


def zips(folder: Path) -> None:
    """Beside a good notebook: an archive that is large when unpacked, and paths that lead out of the folder."""
    with zipfile.ZipFile(folder / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("zeros", bytes(50 * 2**20))
        file.writestr("../../../../../../tmp/left-by-a-zip", "x")
        file.writestr("p1.ipynb", "{}")


def only_a_zip(folder: Path) -> None:
    zips(folder)
    (folder / "p1.ipynb").unlink()


def odd_names(folder: Path) -> None:
    """Names with escapes, formulas and line ends in them, each with a notebook of nothing."""
    for name in ("=cmd|'calc'!A0", "\x1b[2Jclear", "two\nlines", "‮gnp", "-rf", "<img src=x>"):
        (folder / f"{name} p1.ipynb").write_text("{}")


def deep(folder: Path) -> None:
    (folder / "p1.ipynb").write_text("[" * 200_000 + "]" * 200_000)


def many_cells(folder: Path) -> None:
    """Cells that look like ours, by the hundred: comparing each with each takes long."""
    notebook = nbformat.read(folder / "p1.ipynb", 4)
    words = " ".join(f"word{n}" for n in range(300))
    notebook.cells += [new_code_cell(f"# {words} {n}", id=f"c{n}") for n in range(400)]
    for each in notebook.cells:
        each.metadata = NotebookNode()
    (folder / "p1.ipynb").write_text(json.dumps(notebook))


def too_large(folder: Path) -> None:
    notebook = nbformat.read(folder / "p1.ipynb", 4)
    notebook.metadata.fill = "x" * 3_000_000
    (folder / "p1.ipynb").write_text(json.dumps(notebook))


def numbers(folder: Path) -> None:
    """NaN, a number of many digits, and a key that is there twice."""
    text = (folder / "p1.ipynb").read_text()
    more = f'"metadata": {{"x": NaN, "y": Infinity, "z": {"9" * 5000}, "z": 1, '
    (folder / "p1.ipynb").write_text(text.replace('"metadata": {', more, 1))


ATTACKS = [
    Attack("tag_skip_execution", "skip its tests by a tag", WRONG, change=tagged("skip-execution"), scores=ALL_WRONG),
    Attack(
        "tags_that_allow_errors",
        "allow errors and remove cells by tags",
        WRONG,
        change=tagged("raises-exception", "remove_cell", "remove-input", "hide-output", "nbgrader-skip"),
        scores=ALL_WRONG,
    ),
    Attack(
        "tests_edited",
        "edit tests, their points and their locks",
        WRONG,
        change=edited,
        scores=ALL_WRONG,
        told=("suspicion", "q1t was edited", "points of cell q2t", "q3t"),
    ),
    Attack("tests_not_graded", "say that its tests are no tests", WRONG, change=not_graded_any_more, scores=ALL_WRONG),
    Attack("ids_swapped", "swap the ids of two tests", {"q1": WRONG["q1"]}, change=swapped_ids),
    Attack("ids_duplicated", "add tests with the same ids that pass", WRONG, change=duplicated, scores=ALL_WRONG),
    Attack("points_invented", "add a test of its own with 1000 points", WRONG, change=more_points, scores=ALL_WRONG),
    Attack(
        "outputs_forged",
        "hand in outputs that show a score and a verdict",
        WRONG,
        change=forged_outputs,
        scores=ALL_WRONG,
        unseen=("<b>solved",),
    ),
    Attack("kernel_of_its_own", "choose another kernel and title", WRONG, change=other_kernel, scores=ALL_WRONG),
    Attack("region_marks", "put nbgrader's marks of regions into answers", change=region_marks, scores=(2, 3, 4, None)),
    Attack("odd_metadata", "hand in nested, large and dangerous metadata", change=odd_json, scores=(2, 3, 4, None)),
    Attack(
        "zip_beside",
        "hand in an archive that unpacks over other files",
        spoil=zips,
        scores=(2, 3, 4, None),
        lasting=True,
    ),
    Attack("zip_alone", "hand in nothing but such an archive", spoil=only_a_zip, state="missing"),
    Attack(
        "names_of_files", "hand in files with escapes and formulas in their names", spoil=odd_names, state="ambiguous"
    ),
    Attack("json_nested_deeply", "hand in 200 000 brackets", spoil=deep, state="unreadable"),
    Attack(
        "json_numbers",
        "hand in NaN, a number of 5000 digits and a doubled key",
        spoil=numbers,
        state="unreadable",
    ),
    Attack(
        "file_too_large",
        "hand in a notebook of 3 MB",
        spoil=too_large,
        state="unreadable",
        limits=Limits(notebook_bytes=2_000_000),
        told=("any", "larger than"),
    ),
    Attack(
        "cells_by_the_hundred",
        "hand in 400 cells without ids, so that finding ours takes long",
        spoil=many_cells,
        scores=(2, 3, 4, None),
    ),
    Attack(
        "links_beside",
        "hand in links to source, seed and other submissions",
        files={
            "source.ipynb": "-> @SOURCE@/p1.ipynb",
            "others": "-> @OTHER@",
            "common.py": "-> @SECRET@",
            "timestamp.txt": "-> @SECRET@",
        },
        scores=(2, 3, 4, None),
        told=("suspicion", "link was not followed"),
    ),
]
