"""The skeleton of a new exercise, as the answers-bank test asks for it."""

import keyword
import re
from pathlib import Path

from common.i18n import _
from common.lessons import find_lesson

_CHECK = '''"""TODO: one line on what this exercise is about."""

from collections.abc import Iterator
from typing import Any

from common.exercise.base import Case, Exercise, Finding
from common.exercise.evidence import Evidence, Recorder


class {cls}(Exercise):
    """{name}(x): TODO say in one line what the answer does."""

    id = "{lesson}.{name}"
    kind = "practice"
    minutes = 10
    criteria = {{"TODO what must hold": 2}}
    parameters = ("x",)
    not_allowed = ()
    hints = ("TODO broad", "TODO narrower", "TODO nearly there")
    misconceptions = {{
        "todo-first-wrong-idea": "TODO the sentence that names the wrong idea.",
    }}
    public_cases = (Case(x=1), Case(x=2))
    facts = {{"result": {{"type": ["number", "null"]}}}}

    def probe(self, answer: Any, case: Case, ev: Recorder) -> None:
        # Raw observations only: what came back, never whether it is right.
        ev.fact("result", ev.call(answer, case.x))

    def judge(self, case: Case, evidence: Evidence) -> Iterator[Finding]:
        expected = None  # TODO compute it from the case
        if evidence.facts.get("result") == expected:
            yield self.passed("TODO what must hold")
        else:
            yield self.failed("TODO what must hold", "todo-first-wrong-idea", "TODO what happened, without the value.")
'''

_ACCEPT = """# TODO a right answer, number {n} of 3: each works in another way.
def {name}(x):
    raise NotImplementedError("fill in {file}")
"""

_REJECT = """# finds: TODO-misconception-{n}
# TODO a wrong answer that people really give, number {n} of 5 (at least three different misconceptions).
def {name}(x):
    raise NotImplementedError("fill in {file}")
"""

_CELLS = '''
--- markdown, id {lesson}-{name}-statement
### Exercise N (practice, 2 points, 10 minutes): `{name}`

Write `{name}(x)`. TODO: what is given, what it returns.

Checked: TODO.

Not allowed: TODO.

--- code, id {lesson}-{name}-answer (nbgrader: manually edited, "Autograded answer", id {lesson}-{name}-answer)
def {name}(x):
    """TODO."""
    ### BEGIN SOLUTION
    ...
    ### END SOLUTION

--- code, id {lesson}-{name} (nbgrader: "Autograder tests", id {lesson}-{name})
from common import check

check("{lesson}.{name}")
### BEGIN HIDDEN TESTS
from common import evidence

evidence("{lesson}.{name}", cases=[{{"x": 3}}])
### END HIDDEN TESTS
'''


def write_skeleton(root: Path, lesson: str, name: str) -> tuple[list[Path], str]:
    """Write the files of a new exercise; return their paths, relative to the course, and the notebook's cells.

    Raises:
        ValueError: the lesson does not exist, or `name` cannot be the name of a function.
        FileExistsError: one of the files is there already; then nothing is written.
    """
    find_lesson(lesson)
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name) or keyword.iskeyword(name):
        raise ValueError(_("{name!r} cannot be the name of a function or class").format(name=name))
    class_name = "".join(part[:1].upper() + part[1:] for part in name.split("_"))
    fill = {"lesson": lesson, "name": name, "cls": class_name}
    folder = root / "common" / "checks" / lesson
    files = {folder / f"{name}.py": _CHECK.format(**fill)}
    if not (folder / "__init__.py").exists():
        files[folder / "__init__.py"] = f'"""Exercises of lesson {lesson}."""\n'
    bank = root / "tests" / "answers" / lesson / name
    for n in range(1, 4):
        files[bank / f"accept_{n}.py"] = _ACCEPT.format(n=n, file=f"accept_{n}.py", **fill)
    for n in range(1, 6):
        files[bank / f"reject_{n}.py"] = _REJECT.format(n=n, file=f"reject_{n}.py", **fill)
    for path in files:
        if path.exists():
            raise FileExistsError(_("{path} is there already; nothing was written").format(path=path.relative_to(root)))
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [p.relative_to(root) for p in files], _CELLS.format(**fill)
