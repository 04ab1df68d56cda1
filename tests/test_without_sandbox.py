"""Where there is no sandbox, as in a container: a student's process is another user's, if we are root."""

import json
from pathlib import Path

import pytest
from container_kit import can_be_a_container, python
from grading_kit import put, tiny, tiny_source

from pt2e_kit.grading import sandbox

ATTACK = """
def square(x):
    return x * x

import os

import course_helper

print("helper", course_helper.VALUE)

def tried(what):
    try:
        return what()
    except OSError as error:
        return type(error).__name__

uid = os.getuid()
print("uid", 61184 <= uid < 65184 and {(uid, uid, uid)} == {(*os.getresuid(),), (*os.getresgid(),)}, os.getgroups())
print("secret", tried(lambda: open("/autograder/seed").read()))
print("result", tried(lambda: open("/autograder/results.json", "w").write("100")))
print("folder", tried(lambda: os.unlink("/autograder/results.json")))
print("supervisor", tried(lambda: os.kill(os.getppid(), 0)))
print("scratch", tried(lambda: os.rename("../evidence", "../moved")))
print("work", tried(lambda: open("mine", "w").write("1")))
print("rights", [l.split()[1] for l in open("/proc/self/status") if l.startswith(("CapEff", "CapPrm", "NoNewPrivs"))])
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        import time
        time.sleep(600)
    os._exit(0)
"""

GRADE = """
import json
from pathlib import Path
from grading_kit import cell, grade, notes, scores
from pt2e_kit.grading.sandbox import another_user, bubblewrap

assert another_user() and bubblewrap() is None
found = {}
for name in ("attack", "abort"):
    graded = grade(Path("/autograder/_source/a1"), Path("/autograder", name), unsafe_no_sandbox=True)
    outputs = cell(graded.notebooks["p1"], "q1").outputs
    shown = "".join(o.get("text", "") for o in outputs)
    found[name] = {"scores": scores(graded), "notes": notes(graded), "shown": shown}
users = [p.stat().st_uid for p in Path("/proc").iterdir() if p.name.isdigit() and p.exists()]
print(json.dumps(found | {"users": sorted(set(users))}))
"""


@pytest.mark.slow
@can_be_a_container
def test_a_student_is_another_user(tmp_path: Path) -> None:
    place = tmp_path / "autograder"
    (tiny_source(place) / "course_helper.py").write_text("VALUE = 7\n")
    for name, text in (("seed", "secret"), ("results.json", "ours")):
        (place / name).write_text(text)
        (place / name).chmod(0o600)
    put(place / "attack", tiny(q1=ATTACK))
    put(place / "abort", tiny(q1="import os\nos.abort()"))
    done = python(GRADE, tmp_path, (place, "/autograder"))
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    told = dict(line.split(" ", 1) for line in found["attack"]["shown"].splitlines())
    refused = dict.fromkeys(("secret", "result", "folder", "supervisor", "scratch"), "PermissionError")
    none = "0" * 16
    assert told == refused | {"uid": "True []", "work": "1", "helper": "7", "rights": str([none, none, "1"])}
    assert found["attack"]["scores"][0] == 2
    assert found["users"] == [0], "what the student's code left running has been ended"
    assert (place / "results.json").read_text() == "ours"
    assert "without a sandbox" in found["attack"]["notes"]
    assert "ended while cell" in found["abort"]["notes"]
    assert found["abort"]["scores"][0] == 0 and sum(s or 0 for s in found["abort"]["scores"]) > 0


def test_who_can_reach_python(tmp_path: Path) -> None:
    inner = tmp_path / "closed" / "inner"
    inner.mkdir(parents=True)
    file = inner / "python"
    file.touch()
    for path in (file, inner, inner.parent, tmp_path):
        path.chmod(0o755)
    opened = all(folder.stat().st_mode & 0o001 for folder in tmp_path.parents)
    assert sandbox._open_to_all(file) == opened
    inner.parent.chmod(0o700)
    assert not sandbox._open_to_all(file)
    inner.parent.chmod(0o711)
    file.chmod(0o600)
    assert not sandbox._open_to_all(file)
