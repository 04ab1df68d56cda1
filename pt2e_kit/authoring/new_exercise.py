"""The skeleton of a new exercise, as the answers-bank test asks for it."""

import keyword
import re
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell

from common.i18n import _
from common.lessons import find_lesson
from pt2e_kit.authoring.fmt import canonical_text

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

_STATEMENT = """### Exercise {number} (practice, 2 points that do not count for the grade, 10 minutes): `{name}`

Write `{name}(x)`. TODO: what is given, what it returns.

Checked: TODO.

Not allowed: TODO."""

_ANSWER = '''def {name}(x):
    """TODO."""
    ### BEGIN SOLUTION
    ...
    # Why so: TODO one or two sentences on the idea.
    # Another way: TODO a sentence.
    # ```python
    # def {name}(x):
    #     ...
    # ```
    ### END SOLUTION'''

_TEST = """from common import check

check("{lesson}.{name}")
### BEGIN HIDDEN TESTS
from common import evidence

evidence("{lesson}.{name}", cases=[{{"x": 3}}])
### END HIDDEN TESTS"""

_LAST = ("know", "map")
"""Ids of the cell that ends a lesson: exercises stand before it."""


def write_skeleton(root: Path, lesson: str, name: str) -> tuple[list[Path], Path]:
    """Write the files of a new exercise and put its cells into the lesson's notebook, before the last cell.

    Returns:
        The new files and the notebook, relative to the course.

    Raises:
        ValueError: the lesson does not exist, or `name` cannot be the name of a function.
        FileExistsError: one of the files, or a cell, is there already; then nothing is written.
        FileNotFoundError: the lesson has no notebook in source/.
    """
    module = find_lesson(lesson).module
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
    notebook, text = _with_cells(root / "source" / module, lesson, name)
    files[notebook] = text
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [p.relative_to(root) for p in files if p != notebook], notebook.relative_to(root)


def _with_cells(folder: Path, lesson: str, name: str) -> tuple[Path, str]:
    """The lesson's notebook, and its text with the exercise's three cells in it."""
    path = next(iter(sorted(folder.glob(f"{lesson}_*.ipynb"))), None)
    if path is None:
        text = _("there is no notebook {pattern}: write it first; nothing was written")
        raise FileNotFoundError(text.format(pattern=f"source/{folder.name}/{lesson}_*.ipynb"))
    notebook = nbformat.read(path, as_version=4)
    number = 1 + sum(cell.source.startswith("### Exercise") for cell in notebook.cells)
    grade_id = f"{lesson}-{name}"
    if grade_id in {cell.id for cell in notebook.cells}:
        raise FileExistsError(_("{path} has a cell {id} already; nothing was written").format(path=path, id=grade_id))
    fill = {"lesson": lesson, "name": name, "number": number}
    common = {"schema_version": 3, "task": False, "cell_type": "code"}
    answer = {"grade": False, "solution": True, "locked": False, "grade_id": f"{grade_id}-answer", **common}
    test = {"grade": True, "solution": False, "locked": True, "grade_id": grade_id, "points": 0, **common}
    cells = [
        new_markdown_cell(_STATEMENT.format(**fill), id=f"{grade_id}-statement"),
        new_code_cell(_ANSWER.format(**fill), id=f"{grade_id}-answer", metadata={"nbgrader": answer}),
        new_code_cell(_TEST.format(**fill), id=grade_id, metadata={"nbgrader": test}),
    ]
    at = len(notebook.cells) - (bool(notebook.cells) and notebook.cells[-1].id in _LAST)
    notebook.cells[at:at] = cells
    return path, canonical_text(notebook)
