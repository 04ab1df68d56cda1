"""The demo class by every road: `otter check`, `otter run`, and a container's run_autograder, without network and Docker."""

import json
import pickle
import re
import shutil
import sys
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema
import nbformat
import pytest
from commands import ROOT, copy_checkout, run
from container_kit import can_be_a_container, inside
from grading_kit import CLASS_SEED
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell
from otter.run import main as otter_run
from otter.test_files import GradingResults
from otter_kit import ASSIGNMENT, CLASS, LESSON, autograder, bundle, demo_notebook, student, unpacked

from common.exercise import find_exercise
from pt2e_kit.for_otter import container
from pt2e_kit.grading.pipeline import grade_submission
from pt2e_kit.grading.sandbox import bubblewrap

pytestmark = pytest.mark.slow
STUDENTS = sorted(p.name for p in CLASS.iterdir())
BROKEN = "s09"
"""Handed in a damaged file."""


@cache
def _graded(name: str) -> dict[str, Any]:
    """What `pt2e-kit grade` gives: the same function, another class seed than the zip's."""
    source = bundle(_place()).source
    handed_in = CLASS / name / ASSIGNMENT
    more = {"class_seed": CLASS_SEED, "unsafe_no_sandbox": bubblewrap() is None}
    return grade_submission(source, handed_in, assignment=ASSIGNMENT, student=name, **more).result


@cache
def _place() -> Path:
    from pt2e_kit.grading import temporary

    return unpacked(temporary.new_folder() / "autograder", {})


def _scores(result: dict[str, Any]) -> dict[str, float]:
    """Exercise → points, of those that count."""
    entries = [e for n in result["notebooks"] for e in n["exercises"] if e["kind"] in ("core", "plain")]
    return {e["id"].rpartition(".")[2]: e["score"] for e in entries}


def _otters(written: Path) -> dict[str, float]:
    tests = json.loads((written / "results.json").read_text(encoding="utf-8"))["tests"]
    return {t["name"]: t["score"] for t in tests if "score" in t}


# -- otter check


def test_otter_check_tells_the_findings(tmp_path: Path) -> None:
    path = student(tmp_path / "mine", "s04")
    done = run(["otter", "check", path.name, "-t", "tests"], path.parent)
    assert done.returncode == 0, done.stderr
    findings = [f for n in _graded("s04")["notebooks"] for e in n["exercises"] for f in e["findings"]]
    assert len(findings) >= 3
    for finding in findings:
        assert finding["symptom"] in done.stdout and finding["why"] in done.stdout
    assert "observer_from_spec results: All test cases passed!" in done.stdout


def test_check_in_a_notebook_tells_them_too(tmp_path: Path) -> None:
    path = student(tmp_path / "mine", "s04")
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = [c for c in notebook.cells if "check(" not in c.source]
    notebook.cells.append(new_code_cell('import otter\n\ngrader = otter.Notebook()\ngrader.check("insert_after")'))
    place = {"metadata": {"path": str(path.parent)}}
    NotebookClient(notebook, timeout=120, allow_errors=True, resources=place).execute()
    shown = [o["data"].get("text/html", "") for o in notebook.cells[-1].outputs if "data" in o]
    (finding, *_rest) = (e["findings"][0] for e in _graded("s04")["notebooks"][0]["exercises"] if e["findings"])
    assert finding["symptom"] in shown[0], "the kit's own findings"
    assert any("<svg" in html for html in shown), "and the picture"
    assert finding["symptom"] in shown[-1] and "insert_after" in shown[-1], "otter's box"


# -- otter run


@pytest.mark.skipif(bubblewrap() is None, reason="the page is about machines with a sandbox")
def test_the_commands_of_the_page_work(tmp_path: Path) -> None:
    """docs/roads.md: make the files, `otter run` on a solution. Its other road, `grade-one`, is README's."""
    page = (ROOT / "docs" / "roads.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```bash\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    course = copy_checkout(tmp_path / "a course")
    for block in blocks:
        if "otter" in block:
            done = run(["bash", "-e", "-c", block], course)
            assert done.returncode == 0, f"{block}: {done.stdout}{done.stderr}"
    assert _otters(course / "for-otter") == {"insert_after": 4, "build_manual": 6}


@pytest.fixture(scope="module")
def of_the_class(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, GradingResults]]:
    """`otter run` for everybody whose file it can read, in one process: then libraries are loaded once."""
    out = tmp_path_factory.mktemp("out")
    found = {}
    for name in STUDENTS:
        if name != BROKEN:
            (out / name).mkdir()
            notebook, place = str(demo_notebook(name)), str(out / name)
            found[name] = otter_run(notebook, autograder=str(autograder()), output_dir=place, no_logo=True)
            assert _otters(out / name) == {n: f.score for n, f in found[name].results.items()}
    yield found


def test_otter_run_gives_the_scores_of_pt2e_kit_grade(of_the_class: dict[str, GradingResults]) -> None:
    with ThreadPoolExecutor(2) as pool:
        expected = dict(zip(of_the_class, pool.map(_graded, of_the_class), strict=True))
    for name, results in of_the_class.items():
        assert {n: f.score for n, f in results.results.items()} == _scores(expected[name]), name
        assert (results.total, results.possible) == (expected[name]["score"], expected[name]["max_score"])
    totals = {results.total for results in of_the_class.values()}
    assert {0, 10} < totals and len(totals) >= 4, "all, nothing, and parts"


def test_nothing_that_was_handed_in_runs_in_otter(tmp_path: Path) -> None:
    """Modules that shadow what otter imports, and a log, which otter would unpickle."""
    bomb = f"from pathlib import Path\nPath({str(tmp_path / 'gone-off')!r}).touch()\n"
    with zipfile.ZipFile(tmp_path / "in.zip", "w") as archive:
        archive.write(demo_notebook("s01"), f"{LESSON}.ipynb")
        for name in ("otter.py", "pickle.py", "logging.py", "sitecustomize.py", "tests/insert_after.py"):
            archive.writestr(name, bomb)
        archive.writestr(".OTTER_LOG", pickle.dumps({"entries": _Bomb(tmp_path / "gone-off")}))
    (tmp_path / "out").mkdir()
    results = otter_run(str(tmp_path / "in.zip"), autograder=str(autograder()), output_dir=str(tmp_path / "out"))
    assert results.total == 10
    assert not (tmp_path / "gone-off").exists()


class _Bomb:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> Any:
        return Path.touch, (self.path,)


def test_our_failure_gives_no_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pt2e_kit.grading import notebook

    def broken(*_more: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(notebook, "judge_exercises", broken)
    with pytest.raises(RuntimeError, match="no space left"):
        otter_run(str(demo_notebook("s11")), autograder=str(autograder()), output_dir=str(tmp_path), no_logo=True)
    assert not (tmp_path / "results.json").exists()
    place = unpacked(tmp_path / "autograder", {f"{LESSON}.ipynb": demo_notebook("s11").read_bytes()}, {})
    (place / "results" / "results.json").write_text("an older one")
    assert container.main(place) == 1
    assert not (place / "results" / "results.json").exists()


def test_what_otter_cannot_read_never_reaches_us(tmp_path: Path) -> None:
    """docs/roads.md says so: it is read before plugins are loaded. Should this fail one day, the page is to be mended."""
    with pytest.raises(nbformat.reader.NotJSONError):
        otter_run(str(demo_notebook(BROKEN)), autograder=str(autograder()), output_dir=str(tmp_path), no_logo=True)
    assert list(tmp_path.iterdir()) == []


# -- a container


def _check_schema(place: Path) -> dict[str, Any]:
    schema = json.loads((ROOT / "docs" / "gradescope.schema.json").read_text(encoding="utf-8"))
    found = json.loads((place / "results" / "results.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(schema).validate(found)
    return found


@can_be_a_container
def test_a_container_without_sandboxes_gives_the_same(tmp_path: Path) -> None:
    """run_autograder as Gradescope starts it: as root, in /autograder, without bubblewrap and network."""
    metadata = {"users": [{"email": "s04@example.org", "id": 4}]}
    place = unpacked(tmp_path / "autograder", {f"{LESSON}.ipynb": demo_notebook("s04").read_bytes()}, metadata)
    command = ["bash", "/autograder/run_autograder"]
    done = inside(command, tmp_path, (place, "/autograder"), PT2E_KIT_PYTHON=sys.executable)
    assert done.returncode == 0, done.stderr
    found = _check_schema(place)
    assert found["score"] == _graded("s04")["score"]
    assert {t["name"].rpartition(".")[2]: t["score"] for t in found["tests"] if "score" in t} == _scores(_graded("s04"))
    assert "s04@example.org: graded" in done.stdout and "without a sandbox" in done.stdout
    closed = [bundle(place).tests, bundle(place).source.parent, bundle(place).seed_file, place / "results"]
    assert all(path.stat().st_mode & 0o077 == 0 for path in closed), "for root only"
    assert not (place / "results" / "results.pkl").exists()


def test_a_dead_kernel_a_loop_and_a_damaged_file_end_with_a_result(tmp_path: Path) -> None:
    """Where otter alone has no end or no result."""
    notebook = nbformat.read(demo_notebook("s01"), as_version=4)
    for cell in notebook.cells:
        if cell.get("id") == "m02_2-insert_after-answer":
            cell.source = "import os\nos.kill(os.getpid(), 9)"
        if cell.get("id") == "m02_2-build_manual-answer":
            cell.source = "while True:\n    pass"
    limits = container.DEFAULT_LIMITS.__class__(cell_seconds=4, interrupt_seconds=2)
    data = nbformat.writes(notebook).encode()
    place = unpacked(tmp_path / "bad", {f"{LESSON}.ipynb": data}, {})
    assert container.main(place, limits) == 0
    found = _check_schema(place)
    assert found["score"] == 0
    assert "the kernel ended while cell m02_2-insert_after-answer ran" in found["output"]
    assert "m02_2-build_manual-answer was stopped after 4 s" in found["output"]
    assert {t["name"] for t in found["tests"] if "max_score" in t} == {"m02_2.insert_after", "m02_2.build_manual"}

    place = unpacked(tmp_path / "damaged", {f"{LESSON}.ipynb": demo_notebook(BROKEN).read_bytes()}, {})
    assert container.main(place) == 0
    found = _check_schema(place)
    assert found["score"] == 0 and found["tests"][0]["output"].startswith("unreadable: ")


def test_otter_grade_reads_our_pickle(tmp_path: Path) -> None:
    """`otter grade` copies results.pkl out of its container; it leaves the metadata empty."""
    place = unpacked(tmp_path / "autograder", {f"{LESSON}.ipynb": demo_notebook("s11").read_bytes()})
    assert container.main(place) == 0
    results = pickle.loads((place / "results" / "results.pkl").read_bytes())
    assert isinstance(results, GradingResults)
    assert {n: f.score for n, f in results.results.items()} == _scores(_graded("s11"))
    assert results.possible == sum(find_exercise(f"m02_2.{n}").points for n in results.results)
    shutil.rmtree(place)
