#!/usr/bin/env python
"""Grade the same submissions with stock nbgrader and with this kit, one after the other, and say how they compare.

usage: python benchmarks/grading.py [--submissions 20] [--sizes 10 100 1000] [--write]

Two courses: a plain one (torch and torchao are imported, asserts and a shown score), and lesson m02_2. Stock nbgrader
runs `nbgrader autograde` with its default configuration, the kit runs `pt2e-kit grade --jobs 2` with its sandbox. Both
write a gradebook. What counts are the ratios: both ran on this machine, at the same time of day.
`--write` puts the tables into docs/benchmarks.md.
"""

import argparse
import contextlib
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "benchmarks.md"
JOBS = 2
M02_2 = "m02_by_hand/m02_2_observers_by_hand.ipynb"

HEAD = """# How fast grading is

Made by `python benchmarks/grading.py --write` on {date}: {machine}, {cores} cores, Python {python}, torch {torch},
nbgrader {nbgrader}. Look at the ratios: the seconds are those of one machine on one day.

"""

ANSWER = """def scale_of(x):
    ### BEGIN SOLUTION
    return (x.max() - x.min()).item() / 255
    ### END SOLUTION"""
SECOND = """def quantized(x, scale):
    ### BEGIN SOLUTION
    return torch.clamp(torch.round(x / scale), -128, 127).to(torch.int8)
    ### END SOLUTION"""
SOLVED = [re.sub(r"\n *### (BEGIN|END) SOLUTION", "", text) for text in (ANSWER, SECOND)]


def meta(grade_id: str, *, solution: bool = False, points: int = 0) -> dict:
    """nbgrader's metadata of a cell."""
    about = {"grade_id": grade_id, "grade": bool(points), "solution": solution, "locked": bool(points)}
    about |= {"schema_version": 3, "task": False, "cell_type": "code"} | ({"points": points} if points else {})
    return {"nbgrader": about}


def plain_notebook(answers: list[str]) -> nbformat.NotebookNode:
    """A plain nbgrader notebook of a course on torch and torchao."""
    cells = [
        new_markdown_cell("# Scales"),
        new_code_cell("import torch\nfrom torchao.quantization.pt2e import MinMaxObserver"),
        new_code_cell(answers[0], metadata=meta("scale", solution=True)),
        new_code_cell(
            "assert scale_of(torch.tensor([0.0, 255.0])) == 1\n### BEGIN HIDDEN TESTS\n"
            "assert abs(scale_of(torch.tensor([-1.0, 1.0])) - 2 / 255) < 1e-6\n### END HIDDEN TESTS",
            metadata=meta("scale-test", points=2),
        ),
        new_code_cell(answers[1], metadata=meta("quantized", solution=True)),
        new_code_cell(
            "observer = MinMaxObserver(dtype=torch.int8)\nobserver(torch.linspace(-1, 1, 9))\n"
            "assert quantized(torch.ones(3), 0.5).dtype == torch.int8\n"
            "int(quantized(torch.ones(1), 0.5).item() == 2) + int(quantized(torch.full((1,), 999.0), 1.0).item() == 127)",
            metadata=meta("quantized-test", points=2),
        ),
    ]
    for number, cell in enumerate(cells):
        cell.id = f"cell-{number}"
    spec = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return new_notebook(cells=cells, metadata=spec)


def make_course(root: Path, kind: str, students: int, config: str) -> Path:
    """A course with one assignment, a1, and this many submissions of right answers."""
    source = root / "source" / "a1"
    source.mkdir(parents=True)
    (root / "nbgrader_config.py").write_text(config)
    if kind == "plain":
        name = "p1.ipynb"
        nbformat.write(plain_notebook([ANSWER, SECOND]), source / name)
        handed_in = plain_notebook(SOLVED)
    else:
        name = Path(M02_2).name
        shutil.copyfile(ROOT / "source" / M02_2, source / name)
        handed_in = nbformat.read(ROOT / "solutions" / M02_2, 4)
    for cell in handed_in.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    title = handed_in.cells[0].source
    for number in range(students):
        folder = root / "submitted" / f"s{number:04}" / "a1"
        folder.mkdir(parents=True)
        handed_in.cells[0].source = f"{title}\n<!-- {number} -->"
        nbformat.write(handed_in, folder / name)
    run(root, "nbgrader", "generate_assignment", "a1")
    return root


def run(root: Path, module: str, *arguments: str) -> float:
    """Run a command in a course; return the seconds it took."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = os.environ | {"PATH": path, "PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(root / "data")}
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{module} {' '.join(arguments)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.monotonic() - began


def scores(root: Path) -> set[float]:
    """The scores in the gradebook, each once."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{root}/gradebook.db") as gradebook:
        return {s.score for s in gradebook.find_assignment("a1").submissions}


GRADE = ("pt2e_kit", "grade", "a1", "--no-feedback", "--jobs", str(JOBS))


def few(students: int) -> int:
    """How many submissions of the lesson are enough, which take ten times as long as plain ones."""
    return max(2, students // 4)


def against_stock(students: int) -> Iterator[str]:
    """Rows: stock and kit on the same submissions; fewer of the lesson."""
    yield "| course | submissions | stock `nbgrader autograde` | `pt2e-kit grade` | times as many an hour |"
    yield "|---|---:|---:|---:|---:|"
    ours = (ROOT / "nbgrader_config.py").read_text()
    for kind, stock_config in (("plain", "c = get_config()\n"), ("m02_2", "c = get_config()\n")):
        with tempfile.TemporaryDirectory() as folder:
            students = students if kind == "plain" else few(students)
            stock_course = make_course(Path(folder) / "stock", kind, students, stock_config)
            our_course = make_course(Path(folder) / "kit", kind, students, ours)
            stock, kit = run(stock_course, "nbgrader", "autograde", "a1"), run(our_course, *GRADE)
            if kind == "plain" and scores(stock_course) != scores(our_course):
                raise SystemExit(f"different scores: {scores(stock_course)} and {scores(our_course)}")
            yield (
                f"| {kind} | {students} | {stock:.1f} s ({stock / students:.2f} s each) | "
                f"{kit:.1f} s ({kit / students:.2f} s each) | {stock / kit:.1f} |"
            )
    yield ""
    yield "For the exercises of m02_2 stock nbgrader gives no points; it was timed all the same."


def where_the_time_goes(students: int) -> Iterator[str]:
    """Rows: seconds in each step, of one submission after the other in this process."""
    yield "| course | read, repair | execute | judge | the rest of grading | record | all |"
    yield "|---|---:|---:|---:|---:|---:|---:|"
    for kind in ("plain", "m02_2"):
        with tempfile.TemporaryDirectory() as folder:
            students = students if kind == "plain" else few(students)
            root = make_course(Path(folder) / "kit", kind, students, (ROOT / "nbgrader_config.py").read_text())
            done = subprocess.run(
                [sys.executable, __file__, "--steps", str(root)],
                env=os.environ | {"PYTHONPATH": str(ROOT), "XDG_DATA_HOME": str(root / "data")},
                capture_output=True,
                text=True,
                check=True,
            )
            spent = json.loads(done.stdout.splitlines()[-1])
        parts = [spent["rebuild"], spent["execute"], spent["judge_exercises"]]
        parts += [spent["grade"] - sum(parts), spent["record"], spent["grade"] + spent["record"]]
        yield f"| {kind} | " + " | ".join(f"{1000 * p / students:.0f} ms" for p in parts) + " |"


def steps(root: Path) -> None:
    """Grade a course in this process, and print the seconds in each step."""
    from pt2e_kit import record
    from pt2e_kit.course import Course
    from pt2e_kit.grading import notebook
    from pt2e_kit.grading.pipeline import grade_submission

    spent: dict[str, float] = {}

    def timed(owner: object, name: str) -> None:
        plain = getattr(owner, name)

        def wrapper(*given: object, **more: object) -> object:
            began = time.monotonic()
            try:
                return plain(*given, **more)
            finally:
                spent[name] = spent.get(name, 0) + time.monotonic() - began

        setattr(owner, name, wrapper)

    course = Course(root)
    submissions = course.submissions("a1")
    record.prepare_gradebook(course, "a1")
    grade_submission(course.source("a1"), next(iter(submissions.values())))  # starts what is started once
    for name in ("rebuild", "execute", "judge_exercises"):
        timed(notebook, name)
    spent |= {"grade": 0.0, "record": 0.0, "judge_exercises": 0.0}
    for student, path in submissions.items():
        began = time.monotonic()
        graded = grade_submission(course.source("a1"), path, student=student, assignment="a1")
        between = time.monotonic()
        record.record(course, graded)
        spent["grade"] += between - began
        spent["record"] += time.monotonic() - between
    print(json.dumps(spent))


def growing(sizes: list[int]) -> Iterator[str]:
    """Rows: more and more submissions of the plain course."""
    yield "| submissions | time | each | most memory of all processes | most temporary files | results/ and autograded/, each |"
    yield "|---:|---:|---:|---:|---:|---:|"
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            root = make_course(Path(folder) / "kit", "plain", size, (ROOT / "nbgrader_config.py").read_text())
            with watched(Path(folder) / "tmp") as seen:
                seconds = run_with_tmp(root, Path(folder) / "tmp")
            kept = sum(
                f.stat().st_size for part in ("results", "autograded") for f in (root / part).rglob("*") if f.is_file()
            )
            yield (
                f"| {size} | {seconds:.0f} s | {seconds / size:.2f} s | {seen['memory'] / 2**20:.0f} MiB | "
                f"{seen['disk'] / 2**10:.0f} KiB | {kept / size / 2**10:.0f} KiB |"
            )


def run_with_tmp(root: Path, folder: Path) -> float:
    """Grade with temporary files in this folder."""
    folder.mkdir(exist_ok=True)
    os.environ["TMPDIR"] = str(folder)
    try:
        return run(root, *GRADE)
    finally:
        del os.environ["TMPDIR"]


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[dict[str, float]]:
    """Look four times a second at the memory of all processes that this one has started, and at a folder's size."""
    seen, stop = {"memory": 0.0, "disk": 0.0}, threading.Event()

    def watch() -> None:
        while not stop.wait(0.25):
            seen["memory"] = max(seen["memory"], memory_below(os.getpid()))
            with contextlib.suppress(OSError):
                seen["disk"] = max(seen["disk"], sum(f.stat().st_size for f in folder.rglob("*") if f.is_file()))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()


def memory_below(pid: int) -> float:
    """Bytes that the processes started by `pid` hold, shared ones counted once (Linux: PSS)."""
    parents: dict[int, int] = {}
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError, ValueError, IndexError):
            parents[int(process.name)] = int((process / "stat").read_text().rpartition(")")[2].split()[1])
    below, found = {pid}, 0.0
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    for child in below - {pid}:
        with contextlib.suppress(OSError, ValueError, IndexError):
            text = Path(f"/proc/{child}/smaps_rollup").read_text()
            found += 1024 * int(text.split("Pss:")[1].split()[0])
    return found


def main() -> None:
    """Run what was asked for, and print the tables as they come."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--submissions", type=int, default=20, help="for the comparison with stock nbgrader (20)")
    parser.add_argument("--sizes", type=int, nargs="*", default=[10, 100], help="numbers of submissions (10 100)")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md")
    parser.add_argument("--steps", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.steps:
        steps(given.steps)
        return
    about = {"date": f"{datetime.now(UTC):%Y-%m-%d}", "machine": f"{platform.system()} {platform.machine()}"}
    about |= {"cores": os.cpu_count(), "python": platform.python_version(), "torch": version("torch")}
    text = HEAD.format(**about, nbgrader=version("nbgrader"))
    for title, rows in (
        (f"The same {given.submissions} submissions, {JOBS} at a time", against_stock(given.submissions)),
        ("Where the time of one submission goes, one at a time", where_the_time_goes(given.submissions)),
        (f"Large classes: the plain course, {JOBS} at a time", growing(given.sizes)),
    ):
        text += f"## {title}\n\n"
        print(f"\n{title}\n", flush=True)
        for row in rows:
            print(row, flush=True)
            text += row + "\n"
        text += "\n"
    if given.write:
        DOCUMENT.write_text(text.rstrip("\n") + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
