"""Test files and autograder zips for otter-grader: what is in them, and that they give nothing away and nothing for free."""

import ast
import json
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import nbformat
import pytest
from commands import ROOT
from grading_kit import CLASS_SEED, QUICK, kit_notebook, make_cases, tiny_source
from otter.test_files import GradingResults
from otter.test_files.exception_test import ExceptionTestFile
from otter_kit import ASSIGNMENT, LESSON, autograder, bundle, made, unpacked
from test_formats import ALL, LOOP, exercise, graded, lost, result

from common.exercise import find_exercise
from pt2e_kit.cli import app
from pt2e_kit.course import Course
from pt2e_kit.for_otter import container, pins
from pt2e_kit.for_otter.bundle import FOLDER, PLUGIN, read_metadata, student_of
from pt2e_kit.for_otter.make import AUTOGRADER, BACKENDS_LOCK, LOCK, _needs_backends, make
from pt2e_kit.for_otter.parts import WHOLE, Part, parts, scored
from pt2e_kit.for_otter.plugin import KitPlugin
from pt2e_kit.for_otter.scores import fill
from pt2e_kit.for_otter.test_files import write_for_grading, write_for_students
from pt2e_kit.grading import execute
from pt2e_kit.grading.notes import CannotGrade
from pt2e_kit.grading.pipeline import Graded, read_source
from pt2e_kit.grading.warm import NotWarm

EXERCISES = ("insert_after", "observer_from_spec", "build_manual", "switch_story", "set_switches")
PARTS = [
    Part("m02_2.a", "core", {"spliced": 2.0, "found": 2.0}, "a"),
    Part("plain", "plain", {WHOLE: 4.0}, "plain"),
    Part("m02_2.d", "core", {"spliced": 2.0, "found": 2.0}, "d"),
]


# -- parts and test files


def test_what_of_a_notebook_becomes_tests() -> None:
    found = parts(kit_notebook())
    assert [(p.id, p.kind, p.name) for p in found] == [
        ("m02_2.insert_after", "core", "insert_after"),
        ("m02_2.switch_story", "prediction", "switch_story"),
    ]
    assert found[0].criteria == {name: float(n) for name, n in find_exercise("m02_2.insert_after").criteria.items()}
    assert [p.name for p in scored(kit_notebook())] == ["insert_after"]


def test_plain_cells_are_parts_with_one_case(tmp_path: Path) -> None:
    (notebook,) = read_source(tiny_source(tmp_path)).values()
    found = parts(notebook)
    assert found and {p.kind for p in found} == {"plain"}
    assert all(list(p.criteria) == [WHOLE] for p in found)
    assert write_for_students(found, tmp_path / "tests") == [], "what plain cells test is hidden"


def test_two_exercises_of_one_name_keep_apart() -> None:
    notebook = kit_notebook()
    again = make_cases.cell(notebook, "m02_2-insert_after").copy()
    again.metadata = {"nbgrader": dict(again.metadata["nbgrader"]) | {"grade_id": "insert_after"}}
    again.source = "assert True"
    notebook.cells.append(again)
    assert [p.name for p in parts(notebook)] == ["m02_2-insert_after", "switch_story", "insert_after"]


def test_the_tests_of_the_autograder_give_nothing_by_themselves(tmp_path: Path) -> None:
    for path in write_for_grading(PARTS, tmp_path):
        file = ExceptionTestFile.from_file(str(path))
        file.run({name: lambda *_a: True for name in EXERCISES})
        assert (file.score, file.possible) == (0, 4)
        assert "not judged" in file.summary()


# -- what students get


def test_students_have_a_test_for_each_exercise() -> None:
    folder = made() / "student"
    assert sorted(p.stem for p in (folder / "tests").glob("*.py")) == sorted(EXERCISES)
    assert (folder / f"{LESSON}.ipynb").read_bytes() == (ROOT / "release" / ASSIGNMENT / f"{LESSON}.ipynb").read_bytes()
    for name in EXERCISES:
        text = (folder / "tests" / f"{name}.py").read_text(encoding="utf-8")
        modules = {n.module for n in ast.walk(ast.parse(text)) if isinstance(n, ast.ImportFrom)}
        assert modules == {"otter.test_files", "common.exercise.tried"}
        file = ExceptionTestFile.from_string(text)
        criteria = find_exercise(f"m02_2.{name}").criteria
        assert {c.name: c.points for c in file.test_cases} == {n: max(p, 1) for n, p in criteria.items()}


def test_nothing_hidden_is_handed_out() -> None:
    for path in (made() / "student").rglob("*.*"):
        text = path.read_text(encoding="utf-8")
        assert "HIDDEN" not in text and "evidence(" not in text and "BEGIN SOLUTION" not in text


# -- the zip


def _zip() -> dict[str, bytes]:
    with zipfile.ZipFile(autograder()) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_zip_holds_one_notebook_and_the_kit() -> None:
    files = _zip()
    carried = [name for name in files if name.startswith(f"files/{FOLDER}/source/")]
    assert carried == [f"files/{FOLDER}/source/{ASSIGNMENT}/{LESSON}.ipynb"]
    assert json.loads(files["otter_config.json"])["plugins"] == [{PLUGIN: {"unsafe_no_sandbox": True}}]
    for package in ("common/exercise/judging.py", "common/weights/tiny.safetensors", "pt2e_kit/for_otter/container.py"):
        assert files[f"files/{FOLDER}/kit/{package}"] == (ROOT / package).read_bytes()
    assert not [name for name in files if "__pycache__" in name or "/." in name]
    assert sorted(n for n in files if n.startswith("tests/")) == ["tests/build_manual.py", "tests/insert_after.py"]


def test_the_class_seed_is_not_in_it(tmp_path: Path) -> None:
    files = _zip()
    seed = files[f"files/{FOLDER}/seed"].decode().strip()
    assert len(seed) == 64
    assert not [name for name, data in files.items() if CLASS_SEED.encode() in data]
    place = unpacked(tmp_path / "autograder", {})
    assert bundle(place).seed() == seed and bundle(place).source.name == ASSIGNMENT


def test_its_programs_are_programs(tmp_path: Path) -> None:
    with zipfile.ZipFile(autograder()) as archive:
        modes = {i.filename: i.external_attr >> 16 for i in archive.infolist()}
    assert modes["run_autograder"] == modes["setup.sh"] == 0o755
    place = unpacked(tmp_path / "autograder", {})
    for name in ("run_autograder", "setup.sh"):
        text = (place / "source" / name).read_text(encoding="utf-8")
        assert text.startswith("#!/usr/bin/env bash\n") and "@" not in text.replace('"$@"', "")
        assert subprocess.run(["bash", "-n", place / "source" / name], check=False).returncode == 0
    compile((place / "source" / "run_otter.py").read_text(encoding="utf-8"), "run_otter.py", "exec")
    assert AUTOGRADER in (place / "source" / "run_otter.py").read_text(encoding="utf-8")


def test_it_pins_what_the_lock_pins_and_nothing_for_a_gpu() -> None:
    files = _zip()
    lines = files["requirements.txt"].decode().splitlines()
    locked = set(LOCK.read_text(encoding="utf-8").splitlines())
    assert {line for line in lines if line not in locked} == {line for line in lines if line.startswith("setuptools==")}
    names = {line.partition("==")[0] for line in lines}
    assert {"torch", "torchao", "nbgrader", "otter-grader", "ipython", "safetensors"} <= {n.lower() for n in names}
    assert not [n for n in names if n.startswith(("nvidia", "triton", "cuda", "pytest", "ruff"))]
    environment = files["environment.yml"].decode()
    assert all(line in environment for line in lines), "for those who make a conda environment of it"
    setup = files["setup.sh"].decode()
    assert "--torch-backend cpu" in setup and "--no-deps" in setup


def test_a_lesson_that_runs_a_backend_gets_it() -> None:
    plain, more = pins.pins(LOCK), pins.pins(LOCK, BACKENDS_LOCK)
    added = {line.partition("==")[0].lower() for line in set(more) - set(plain)}
    assert {"executorch", "onnx", "onnxruntime", "onnxscript"} <= added
    assert set(plain) < set(more)
    needs = {
        path.stem[:5]: _needs_backends(nbformat.read(path, as_version=4))
        for path in ROOT.glob("source/*/m0[2-9]_[12]_*.ipynb")
    }
    assert needs["m08_1"] and needs["m09_1"] and not needs["m02_2"]


def test_a_package_that_the_lock_lacks_is_said(tmp_path: Path) -> None:
    lock = tmp_path / "requirements.lock"
    lock.write_text("# made\n" + "\n".join(n for n in LOCK.read_text().splitlines() if not n.startswith("pandas==")))
    with pytest.raises(LookupError, match="pandas, which requirements"):
        pins.pins(lock)
    with pytest.raises(FileNotFoundError, match="checkout"):
        pins.pins(tmp_path / "gone")


def test_a_notebook_without_exercises_or_a_student_version(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    course = tmp_path / "course"
    for name in ("source", "release"):
        shutil.copytree(ROOT / name / "m01_ptq", course / name / "m01_ptq")
    shutil.copyfile(ROOT / "nbgrader_config.py", course / "nbgrader_config.py")
    for path in (course / "source" / "m01_ptq").glob("*.ipynb"):
        if "m01_0" not in path.name:
            path.unlink()
    (course / "seed").write_text(CLASS_SEED)
    arguments = ["otter", "m01_ptq", "--to", tmp_path / "out", "--course", course, "--seed-file", course / "seed"]
    with pytest.raises(SystemExit) as left:
        app([str(a) for a in arguments])
    assert not left.value.code
    assert not (tmp_path / "out").exists() or not list((tmp_path / "out").rglob("*.zip"))
    assert "nothing for otter" in capsys.readouterr().out
    shutil.rmtree(course / "release")
    with pytest.raises(FileNotFoundError, match="pt2e-kit release m01_ptq"):
        list(make(Course(course), "m01_ptq", tmp_path / "out", class_seed=CLASS_SEED))


# -- from our result to otter's


def _filled(given: dict[str, Any], folder: Path) -> GradingResults:
    write_for_grading(PARTS, folder)
    found = GradingResults([])
    fill(found, given, PARTS, folder)
    return found


def test_partial_credit_reaches_otter(tmp_path: Path) -> None:
    given = result(
        graded(
            exercise("m02_2.a", "core", 2, LOOP),
            exercise("m02_2.b", "practice", 4),
            exercise("plain", "plain", 3.5, max_score=4),
            exercise("m02_2.d", "core", 0, ALL, status="died"),
        )
    )
    found = _filled(given, tmp_path)
    assert found.total == given["score"] == 5.5 and found.possible == 12
    assert {n: f.score for n, f in found.results.items()} == {"a": 2, "plain": 3.5, "d": 0}
    assert "✓" in found.results["a"].summary() and "<b>It raises.</b>" in found.results["d"].summary()
    assert "practice" in str(found.output)


def test_a_notebook_that_is_not_graded_has_nothing_in_otter(tmp_path: Path) -> None:
    found = _filled(result(lost()), tmp_path)
    assert (found.total, found.possible) == (0, 12)
    assert "unreadable: the file is cut off" in found.results["a"].summary()


# -- the plugin, and who handed in


def test_the_plugin_gives_nothing_when_it_was_not_asked_before(tmp_path: Path) -> None:
    plugin = KitPlugin(str(tmp_path / "submission" / "p1.ipynb"), {}, {})
    assert plugin.generate_report() == ""
    assert plugin.before_execution({"cells": ["theirs"]}).cells == []
    with pytest.raises(RuntimeError, match="could not do its part"):
        plugin.after_grading(GradingResults([]))


def test_who_handed_in() -> None:
    assert student_of({}, "p1") == "p1"
    assert student_of({"users": [{"email": "b@x", "id": 1}, {"email": "a@x"}, 7]}, "p1") == "a@x, b@x"
    assert student_of({"users": [{"id": 12}]}, "p1") == "12"
    assert student_of({"users": "nonsense"}, "p1") == "p1"


def test_the_metadata_that_gradescope_writes(tmp_path: Path) -> None:
    path = tmp_path / "submission_metadata.json"
    assert read_metadata(path) is None
    path.write_text("")
    assert read_metadata(path) is None
    path.write_text("[]")
    assert read_metadata(path) is None
    path.write_text('{"users": []}')
    assert read_metadata(path) == {"users": []}


def test_a_folder_that_is_none_of_ours(tmp_path: Path) -> None:
    for what in ("source", "seed"):
        with pytest.raises(FileNotFoundError, match="no autograder that pt2e-kit made"):
            found = getattr(bundle(tmp_path), what)
            found() if callable(found) else None


# -- where no boundary can be had


@pytest.fixture
def no_boundary(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """A container without sandboxes that does not run us as root; returns what would have been run."""
    asked: list[Any] = []
    monkeypatch.setattr(container, "bubblewrap", lambda: None)
    monkeypatch.setattr(container, "another_user", lambda: False)

    def pretend(*_more: Any, **options: Any) -> Graded:
        asked.append(options)
        return Graded(result(graded(exercise("m02_2.insert_after", "core", 4))))

    monkeypatch.setattr(container, "grade_submission", pretend)
    return asked


def test_a_container_without_any_boundary_runs_nothing(
    no_boundary: list[Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = unpacked(tmp_path / "autograder", {}, {})
    config = place / "source" / "otter_config.json"
    text = config.read_text(encoding="utf-8")
    for refused in (text.replace("true", "false", 1), "{}", "no JSON"):
        config.write_text(refused, encoding="utf-8")
        (place / "results" / "results.json").write_text("an older one")
        assert container.main(place) == 1
        assert not no_boundary and not (place / "results" / "results.json").exists()
        assert "could write the result itself" in capsys.readouterr().err
    config.write_text(text, encoding="utf-8")
    assert container.main(place) == 0
    assert [asked["unsafe_no_sandbox"] for asked in no_boundary] == [True]


def test_no_kernel_starts_cold_where_it_would_be_roots(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def not_warm(*_more: Any, **_options: Any) -> None:
        raise NotWarm("threads")

    monkeypatch.setattr(execute, "borrowed", not_warm)
    monkeypatch.setattr(execute, "another_user", lambda: True)
    monkeypatch.setattr(execute.cold, "execute", lambda *_a, **_o: pytest.fail("it was run"))
    with pytest.raises(CannotGrade, match="no process to run it in: threads") as raised:
        execute.execute(make_cases.student(), make_cases.student(), tmp_path, [], QUICK, isolated=False)
    assert raised.value.state == "failed"
