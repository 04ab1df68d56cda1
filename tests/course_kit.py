"""What the tests of whole courses share: make one, hand in, grade, look into the gradebook."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

from grading_kit import ROOT, check_schema, make_cases, tiny_source

from pt2e_kit.course import Course, put_own_programs_on_path
from pt2e_kit.grading.sandbox import bubblewrap
from pt2e_kit.record import grade_assignment


def nbgrader(course: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run an nbgrader command in a course, as its users do."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment = {**os.environ, "PATH": path, "XDG_DATA_HOME": str(course / "data")}
    command = [sys.executable, "-m", "nbgrader", *arguments]
    return subprocess.run(command, cwd=course, env=environment, capture_output=True, text=True, check=False)


def make_course(root: Path, config: str | None = None) -> Course:
    """A course with the tiny assignment, and nobody in it."""
    shutil.copytree(tiny_source(root / "made"), root / "source" / "a1")
    (root / "nbgrader_config.py").write_text(config or (ROOT / "nbgrader_config.py").read_text())
    (root / "gradebook.db").write_bytes(empty_gradebook())
    return Course(root)


@cache
def empty_gradebook() -> bytes:
    """A gradebook with its tables; making one takes seconds."""
    from nbgrader.api import Gradebook

    put_own_programs_on_path()
    with tempfile.TemporaryDirectory() as folder:
        Gradebook(f"sqlite:///{folder}/gradebook.db").close()
        return Path(folder, "gradebook.db").read_bytes()


def hand_in(course: Course, *names: str) -> None:
    """Hand in some of the collected cases, each by a student of its name."""
    for name in names:
        make_cases.write_case(str(course.root / "made"), name)
        shutil.copytree(course.root / "made" / name, course.root / "submitted" / name / "a1", symlinks=True)


def grade(course: Course, *students: str, **more: Any) -> dict[str, Any]:
    """Grade, and look that each result is as its schema says and stands in its file."""
    usual = {"seed_file": course.root / "seed", "unsafe_no_sandbox": bubblewrap() is None}
    results = grade_assignment(course, "a1", students=list(students), **usual | more).results
    for student, result in results.items():
        check_schema(result)
        assert json.loads((course.results("a1", student) / "results.json").read_text()) == result
    return results


def in_gradebook(course: Course, assignment: str = "a1") -> dict[str, float]:
    """Student → the automatic score that nbgrader knows, where it knows one."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.root}/gradebook.db") as gradebook:
        found = {}
        for submission in gradebook.find_assignment(assignment).submissions:
            given = [g.auto_score for n in submission.notebooks for g in n.grades if g.auto_score is not None]
            if given:
                found[submission.student.id] = sum(given)
        return found
