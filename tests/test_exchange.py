"""A class from start to end through nbgrader's exchange, by the commands of docs/class.md."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest
from commands import ROOT, run
from course_kit import make_course
from grading_kit import put, tiny

PAGE = (ROOT / "docs" / "class.md").read_text(encoding="utf-8")
SHELL = re.compile(r"^```bash\n(.*?)^```$", re.MULTILINE | re.DOTALL)
needs_exchange = pytest.mark.skipif(os.name != "posix", reason="nbgrader's exchange needs Linux or macOS")


def steps() -> list[tuple[str, list[str]]]:
    """The page's commands as (who, words), for the tiny assignment; its headings say whose they are."""
    found = []
    for section in PAGE.split("\n## ")[1:]:
        who = "student" if section.startswith("Students") else "instructor"
        for block in SHELL.findall(section):
            lines = [line.partition("#")[0].strip() for line in block.splitlines()]
            found += [(who, shlex.split(line.replace("m02_by_hand", "a1"))) for line in lines if line]
    return found


@pytest.mark.slow
@needs_exchange
def test_a_class_through_the_exchange(tmp_path: Path) -> None:
    course, desk = make_course(tmp_path / "course").root, tmp_path / "desk"
    exchange = tmp_path / "exchange"
    exchange.mkdir()
    exchange.chmod(0o777)
    desk.mkdir()
    setting = f'c.Exchange.root = "{exchange}"\n'
    config = (course / "nbgrader_config.py").read_text()
    (course / "nbgrader_config.py").write_text(config + "\n" + setting)
    (desk / "nbgrader_config.py").write_text("c = get_config()\n" + setting)
    own = {"XDG_DATA_HOME": str(tmp_path / "data"), "JUPYTER_DATA_DIR": str(tmp_path / "jupyter")}

    for who, words in steps():
        if words[:2] == ["nbgrader", "submit"]:
            put(desk / "a1", tiny())  # the student has worked on it
        done = run(words, course if who == "instructor" else desk, **own)
        assert done.returncode == 0, f"{shlex.join(words)}: {done.stdout}{done.stderr}"

    (result,) = (course / "results" / "a1").glob("*/results.json")
    graded = json.loads(result.read_text())
    assert (graded["state"], graded["score"]) == ("graded", 9) and graded["submitted_at"]
    (page,) = (desk / "a1" / "feedback").rglob("p1.html")
    assert "SECRET" not in page.read_text()
