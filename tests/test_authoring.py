"""The fixed form of notebooks, student versions, executed solutions, and the skeleton of an exercise."""

import json
import re
import sys
from pathlib import Path

import nbformat
import pytest
from commands import ROOT, copy_checkout, kit, run, tree
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from common.exercise import all_exercises, find_exercise
from pt2e_kit.authoring.digest import is_stale, source_digest, stamp
from pt2e_kit.authoring.explained import split_explained
from pt2e_kit.authoring.fmt import canonical_text, format_files, formatted, source_notebooks
from pt2e_kit.authoring.release import release
from pt2e_kit.authoring.solutions import MAX_BYTES, solutions
from pt2e_kit.course import Course
from pt2e_kit.notebooks import HIDDEN, SOLUTION, exercise_cells

SOURCES = source_notebooks(ROOT)
NAMES = [f"{p.parent.name}/{p.name}" for p in SOURCES]
ASSIGNMENTS = Course(ROOT).assignments()


def _read(folder: str, name: str) -> NotebookNode:
    return nbformat.read(ROOT / folder / name, as_version=4)


def _test_cell(exercise_id: str, **metadata: object) -> NotebookNode:
    grade_id = exercise_id.replace(".", "-")
    cell = new_code_cell(f'from common import evidence\nevidence("{exercise_id}", cases=[])', id=grade_id)
    cell.metadata["nbgrader"] = {"grade_id": grade_id, "grade": True, "solution": False} | metadata
    return cell


def _messy() -> NotebookNode:
    """A notebook as it comes out of a day's work."""
    run_cell = new_code_cell("\nx = 1\nx\n", execution_count=7, id="a1b2c3d4", metadata={"scrolled": True})
    run_cell.outputs = [new_output("execute_result", {"text/plain": "1"}, execution_count=7)]
    picture = new_markdown_cell("# A title of *words*!\n![p](attachment:p.png)", id="12345678")
    picture.attachments = {"p.png": {"image/png": "aGk="}}
    return new_notebook(
        cells=[
            picture,
            run_cell,
            new_code_cell("x = 1", id="cell-3"),
            new_markdown_cell("kept", id="my-own-id"),
            _test_cell("m02_2.insert_after", points=99, locked=False, checksum="0" * 32),
            _test_cell("m02_2.set_switches", points=4, solution=True),
            _test_cell("m02_2.switch_story", points=1),
        ],
        metadata={"kernelspec": {"name": "my-env", "display_name": "mine"}, "widgets": {}},
    )


# -- fmt


def test_fmt_takes_away_what_differs_from_day_to_day() -> None:
    made = formatted(_messy())
    assert (made.nbformat, made.nbformat_minor) == (4, 5)
    assert made.metadata["kernelspec"]["name"] == "python3" and set(made.metadata) == {"kernelspec", "language_info"}
    ids = [c.id for c in made.cells]
    assert ids[:4] == ["a-title-of-words-p", "x-1-x", "x-1", "my-own-id"]
    assert made.cells[1].source == "x = 1\nx"
    assert made.cells[1].outputs == [] and made.cells[1].execution_count is None
    assert made.cells[1].metadata == {}
    assert made.cells[0].attachments == {"p.png": {"image/png": "aGk="}}, "a pasted picture got lost"


def test_fmt_writes_the_points_of_the_exercises() -> None:
    graded = {c.id: c.metadata.nbgrader for c in formatted(_messy()).cells if "nbgrader" in c.metadata}
    core = find_exercise("m02_2.insert_after")
    assert graded["m02_2-insert_after"]["points"] == core.points > 0
    assert graded["m02_2-set_switches"]["points"] == graded["m02_2-switch_story"]["points"] == 0
    for cell in graded.values():
        assert (cell["grade"], cell["solution"], cell["locked"]) == (True, False, True)
        assert "checksum" not in cell and cell["schema_version"] == 3


def test_fmt_twice_is_fmt_once(tmp_path: Path) -> None:
    path = tmp_path / "messy.ipynb"
    nbformat.write(_messy(), path)
    before = path.read_bytes()
    assert format_files([path], write=False) == [path]
    assert path.read_bytes() == before
    assert format_files([path], write=True) == [path]
    once = path.read_bytes()
    assert format_files([path], write=True) == []
    assert path.read_bytes() == once


def test_the_fixed_form_is_what_jupyterlab_saves(tmp_path: Path) -> None:
    """So that a change of one line of a cell is one line in a diff, whoever saved it."""
    made = formatted(_messy())
    nbformat.write(made, tmp_path / "saved.ipynb")
    assert (tmp_path / "saved.ipynb").read_text(encoding="utf-8") == canonical_text(made)
    assert '    "x = 1\\n",\n    "x"\n' in canonical_text(made)


def test_fmt_check_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "messy.ipynb"
    nbformat.write(_messy(), path)
    before = path.read_bytes()
    done = kit("fmt", "--check", str(path))
    assert done.returncode == 1
    assert f"not in the fixed form: {path}" in done.stdout
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([_test_cell("m02_2.insert_after")] * 2, "two cells have the id m02_2-insert_after"),
        ([_test_cell("m02_2.insert_aftr")], "cell m02_2-insert_aftr: .*insert_after"),
    ],
)
def test_fmt_names_file_and_cell(cells: list[NotebookNode], words: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.ipynb"
    path.write_text(json.dumps(new_notebook(cells=cells)), encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(ValueError, match=rf"odd\.ipynb: {words}"):
        format_files([path], write=True)
    assert path.read_bytes() == before


@pytest.mark.parametrize("text", ["", "{}", "[1]", "no notebook", '{"cells": 1, "nbformat": 4, "nbformat_minor": 5}'])
def test_fmt_of_no_notebook(text: str, tmp_path: Path) -> None:
    (tmp_path / "odd.ipynb").write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=r"odd\.ipynb: "):
        format_files([tmp_path / "odd.ipynb"], write=True)


def test_source_is_in_the_fixed_form() -> None:
    assert format_files(SOURCES, write=False) == []


# -- what is generated is up to date


def _changed(notebook: NotebookNode, what: str) -> None:
    match what:
        case "source":
            notebook.cells[1].source += "\n"
        case "id":
            notebook.cells[1].id = "another"
        case "points":
            next(c for c in notebook.cells if "nbgrader" in c.metadata).metadata.nbgrader.points = 17
        case "order":
            notebook.cells.append(notebook.cells.pop(0))
        case "removed":
            notebook.cells.pop()


@pytest.mark.parametrize("what", ["source", "id", "points", "order", "removed"])
def test_a_change_of_the_source_makes_it_stale(what: str, tmp_path: Path) -> None:
    source, generated = tmp_path / "source.ipynb", tmp_path / "generated.ipynb"
    original = _messy()
    source.write_text(canonical_text(original), encoding="utf-8")
    assert is_stale(source, generated), "it is not there"
    generated.write_text(canonical_text(new_notebook()), encoding="utf-8")
    assert is_stale(source, generated), "nothing says what it was made from"
    made = new_notebook()
    stamp(made, original)
    generated.write_text(canonical_text(made), encoding="utf-8")
    assert not is_stale(source, generated)
    _changed(original, what)
    source.write_text(canonical_text(original), encoding="utf-8")
    assert is_stale(source, generated)


def test_outputs_do_not_make_it_stale() -> None:
    original = _messy()
    digest = source_digest(original)
    original.cells[1].outputs = []
    assert source_digest(original) == digest


@pytest.mark.parametrize("folder", ["release", "solutions"])
def test_what_is_committed_is_up_to_date(folder: str) -> None:
    stale = [name for name in NAMES if is_stale(ROOT / "source" / name, ROOT / folder / name)]
    assert not stale, f"out of date in {folder}/: {stale}; run `make {folder}`"
    assert sorted(n for n in tree(ROOT / folder) if n.endswith(".ipynb")) == NAMES


@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_release_is_what_source_gives(assignment: str, tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("source",), ("nbgrader_config.py",))
    left = tmp_path / "release" / assignment / "left-over.txt"
    left.parent.mkdir(parents=True)
    left.touch()
    made = release(tmp_path, assignment)
    assert made == [Path("release", n) for n in NAMES if n.startswith(f"{assignment}/")]
    assert tree(tmp_path / "release" / assignment) == tree(ROOT / "release" / assignment), "run `make release`"
    assert not (tmp_path / "gradebook.db").exists()


def test_a_release_that_fails_leaves_the_old_one(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("source", "release"), ("nbgrader_config.py",))
    path = next(
        p for p in sorted((tmp_path / "source").glob("*/*.ipynb")) if "### END SOLUTION" in p.read_text("utf-8")
    )
    broken = nbformat.read(path, as_version=4)
    cell = next(c for c in broken.cells if "### END SOLUTION" in c.source)
    cell.source = cell.source.replace("### END SOLUTION", "")
    nbformat.write(broken, path)
    with pytest.raises(RuntimeError, match="nbgrader could not do its part"):
        release(tmp_path, path.parent.name)
    assert tree(tmp_path / "release") == tree(ROOT / "release")


# -- what students must not see


def _shown_and_kept(notebook: NotebookNode) -> tuple[set[str], dict[str, set[str]]]:
    """Lines that students may see, and the lines of solutions and of hidden tests that stand nowhere else."""
    shown: set[str] = set()
    kept: dict[str, set[str]] = {"solution": set(), "hidden": set()}
    for cell in notebook.cells:
        for name, pattern in (("solution", SOLUTION), ("hidden", HIDDEN)):
            for match in pattern.finditer(cell.source):
                kept[name] |= {line.strip() for line in match[0].split("\n")[1:-1]} - {""}
        shown |= {line.strip() for line in HIDDEN.sub("", SOLUTION.sub("", cell.source)).split("\n")}
    return shown, {name: lines - shown for name, lines in kept.items()}


def _exercises(name: str) -> list[str]:
    lesson = "_".join(Path(name).name.split("_")[:2])
    return [e.id for e in all_exercises() if e.lesson == lesson]


@pytest.mark.parametrize("name", NAMES)
def test_release_holds_no_solution_and_nothing_hidden(name: str) -> None:
    _shown, kept = _shown_and_kept(_read("source", name))
    if _exercises(name):  # an overview may have none
        assert kept["solution"] and kept["hidden"], "the test has nothing to look for"
    released = _read("release", name)
    lines = {line.strip() for cell in released.cells for line in cell.source.split("\n")}
    for what, secret in kept.items():
        assert not lines & secret, f"{what} in release/{name}"
    text = (ROOT / "release" / name).read_text(encoding="utf-8")
    for word in ("BEGIN SOLUTION", "END SOLUTION", "BEGIN HIDDEN", "END HIDDEN", "evidence(", "MARK SCHEME"):
        assert word not in text
    assert "Marking guide" not in text
    assert all(not c.get("outputs") and c.get("execution_count") is None for c in released.cells)


@pytest.mark.parametrize("name", NAMES)
def test_release_has_a_stub_and_a_check_for_every_exercise(name: str) -> None:
    source, released = _read("source", name), {c.id: c for c in _read("release", name).cells}
    assert list(released) == [c.id for c in source.cells]
    for cell in exercise_cells(source):
        assert f'check("{cell.exercise_id}")' in released[cell.grade_id].source
        stub = released[f"{cell.grade_id}-answer"].source
        assert "raise NotImplementedError()" in stub
        assert find_exercise(cell.exercise_id).name in stub


# -- solutions

PATHS = re.compile(r"(?<![\w.:/<])/(?:home|root|Users|usr|tmp|var|opt|mnt|work|private)/\w|[A-Z]:\\\\\w")


@pytest.mark.parametrize("name", NAMES)
def test_solutions_are_executed_and_tell_nothing_hidden(name: str) -> None:
    path = ROOT / "solutions" / name
    text = path.read_text(encoding="utf-8")
    assert len(text.encode()) <= MAX_BYTES
    assert str(ROOT) not in text
    assert not PATHS.search(text), PATHS.search(text)
    for word in ("BEGIN SOLUTION", "BEGIN HIDDEN", "evidence(", "Traceback"):
        assert word not in text
    source, solved = _read("source", name), _read("solutions", name)
    for cell in source.cells:  # what is said about a solution stands in a cell of its own
        cell.source, _explained = split_explained(cell.source)
    _shown, kept = _shown_and_kept(source)
    lines = {line.strip() for cell in solved.cells for line in cell.source.split("\n")}
    assert not lines & kept["hidden"]
    assert kept["solution"] <= lines
    code = [c for c in solved.cells if c.cell_type == "code"]
    assert [c.execution_count for c in code] == list(range(1, len(code) + 1))
    outputs = [o for c in code for o in c.outputs]
    assert outputs and not [o for o in outputs if o.output_type == "error"]
    assert not [o for o in outputs if o.get("name") == "stderr"]
    solved_cells = {c.id: c for c in code}
    for cell in exercise_cells(source):
        assert solved_cells[cell.grade_id].outputs, f"{cell.exercise_id} shows no result of its check"


@pytest.mark.slow
@pytest.mark.parametrize("assignment", ASSIGNMENTS)
def test_source_runs_and_gives_these_solutions(assignment: str, tmp_path: Path) -> None:
    """Numbers may differ in their last digits from machine to machine; cells and kinds of outputs do not."""

    def kinds(folder: Path, name: Path) -> list[tuple[str, str, list[str]]]:
        cells = nbformat.read(folder / name, as_version=4).cells
        return [(c.id, c.source, [o.output_type for o in c.get("outputs", [])]) for c in cells]

    copy_checkout(tmp_path, ("source",), ("nbgrader_config.py",))
    for name in solutions(tmp_path, assignment):
        assert kinds(tmp_path, name) == kinds(ROOT, name), "run `make solutions`"


@pytest.mark.slow
def test_a_failing_cell_is_no_solution(tmp_path: Path) -> None:
    folder = tmp_path / "source" / "a1"
    folder.mkdir(parents=True)
    cells = [new_code_cell("x = 1", id="fine"), new_code_cell("x + '1'", id="wrong"), new_code_cell("y = 2", id="end")]
    nbformat.write(new_notebook(cells=cells), folder / "p1.ipynb")
    with pytest.raises(RuntimeError, match=r"p1\.ipynb, cell wrong: TypeError: unsupported"):
        solutions(tmp_path, "a1")
    assert not (tmp_path / "solutions").exists()


# -- new-exercise

SKELETON = ["common/checks/m02_2/count_nodes.py"] + [
    f"tests/answers/m02_2/count_nodes/{word}_{n}.py"
    for word, most in (("accept", 3), ("reject", 5))
    for n in range(1, most + 1)
]


def test_new_exercise_writes_a_skeleton_that_says_what_is_missing(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("common", "pt2e_kit", "source", "tests"), ("nbgrader_config.py", "pyproject.toml"))
    before = tree(tmp_path)
    done = kit("new-exercise", "m02_2", "count_nodes", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    after = tree(tmp_path)
    new = sorted(n for n in after.keys() - before.keys() if "__pycache__" not in n)
    assert new == SKELETON
    lesson = "source/m02_by_hand/m02_2_observers_by_hand.ipynb"
    assert {n for n in before if after[n] != before[n]} == {lesson}, "it changed another file"
    for words in (*SKELETON, lesson, "pt2e-kit fmt"):
        assert words in done.stdout
    old, cells = (
        _read("source", Path(lesson).relative_to("source").as_posix()).cells,
        nbformat.read(tmp_path / lesson, 4).cells,
    )
    assert [c.id for c in cells[:-4]] + ["know"] == [c.id for c in old], "the cells stand before the last one"
    assert [c.id for c in cells[-4:-1]] == [f"m02_2-count_nodes{end}" for end in ("-statement", "-answer", "")]
    assert "Exercise 5 " in cells[-4].source
    for cell, words in zip(cells[-3:-1], ("### BEGIN SOLUTION", "### BEGIN HIDDEN TESTS"), strict=True):
        assert words in cell.source
    assert kit("fmt", folder=tmp_path).returncode == 0

    tests = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_answers_bank.py"]
    bank = run([*tests, "-k", "count_nodes or switch_story", "--tb=short"], tmp_path)
    assert bank.returncode == 1, bank.stdout + bank.stderr
    assert "fill in accept_1.py" in bank.stdout
    assert "no reject answer of m02_2.count_nodes is marked `# finds:`" in bank.stdout
    assert "KeyError" not in bank.stdout
    failed = [line for line in bank.stdout.splitlines() if line.startswith("FAILED")]
    assert failed and not [line for line in failed if "switch_story" in line], "it disturbs its neighbours"

    again = kit("new-exercise", "m02_2", "count_nodes", folder=tmp_path)
    assert again.returncode == 2
    assert "nothing was written" in again.stderr


def test_new_exercise_overwrites_nothing(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("source",), ("nbgrader_config.py",))
    mine = tmp_path / SKELETON[-1]
    mine.parent.mkdir(parents=True)
    mine.write_text("# mine\n", encoding="utf-8")
    before = tree(tmp_path)
    done = kit("new-exercise", "m02_2", "count_nodes", folder=tmp_path)
    assert done.returncode == 2
    assert "reject_5.py is there already; nothing was written" in done.stderr
    assert tree(tmp_path) == before
