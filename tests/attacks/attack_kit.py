"""What an attack is, how it is handed in, and what is looked at afterwards.

In an attack's texts stand @MARK@ (a word of this run alone: whatever is left behind on the machine carries it),
@SOURCE@, @OTHER@, @SECRET@ (folders and a file that a submission must not reach), @PORT@ (a listener on this machine),
@SOCKET@ (an abstract unix socket of it) and @GRADER@ (the number of the grader's process).
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import nbformat
from grading_kit import QUICK, ROOT, cell, exercise_test, kit_notebook, make_cases, put, solution, tiny
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from pt2e_kit.settings import Limits

Where = Literal["plain", "shown", "kit", "ranges", "m02_2", "m01_1"]
Kind = Literal["suspicion", "limit", "repair", "any"]

SHORT = Limits(cell_seconds=3, interrupt_seconds=1)
"""For attacks that hang: each costs its test these seconds."""

PATIENT = Limits(cell_seconds=60)
"""For exercises of the kit, which load torch."""

PLAIN_FULL = (2, 3, 4, None)
WRONG = {
    "q1": "def square(x):\n    return 0",
    "q2": "def mean(xs):\n    return 0",
    "q3": "def score_words(ws):\n    return []",
}
SQUARE = make_cases.GOOD["q1"]

RANGES = "m01_1.qparams_from_range"
RANGES_ANSWER = """def qparams_from_range(lo, hi):
    lo, hi = min(lo, 0.0), max(hi, 0.0)
    scale = max((hi - lo) / 255, 2**-12)
    return scale, max(-128, min(127, round(-128 - lo / scale)))"""
RANGES_WRONG = "def qparams_from_range(lo, hi):\n    return 1.0, 0"
RANGES_CASES = [{"where": "around", "n": 8, "size": 1.0}, {"where": "above", "n": 8, "size": 30.0}]
INSERT_WRONG = "def insert_after(gm, node, module, name):\n    return node"


@dataclass(frozen=True)
class Attack:
    """One hostile submission and the right outcome.

    Attributes:
        id: its name, a word of letters, digits and underscores.
        tries: what it tries, as the end of the sentence "it tries to ...".
        answers: answer cells by name; those that are not named hold right answers (plain) or the one of `where`.
        cells: cells of the student's own in front of the first test.
        change: changes the notebook in place: tags, metadata, outputs, cells.
        files: files beside the notebook, name → content; a content that begins with "-> " is a link's target.
        spoil: changes the folder that is handed in, at last.
        where: "plain" (tiny course: asserts and a shown score), "shown" (tests that show what a function of the
            student's returns), "kit" (insert_after and switch_story of m02_2), "ranges" (qparams_from_range of
            m01_1), "m02_2" and "m01_1" (the lessons, with stubs for answers).
        scores: the right ones, in order.
        earns: "exact": no other scores; "noted": more points are forgiven where a suspicion tells of it, because
            nothing inside of one process can keep tests from a student's objects; "less": fewer points are right
            too, because what it breaks is its own.
        told: kind of note that an instructor must see, and patterns that must all be found.
        unseen: words that must not stand anywhere in the graded notebook's outputs, notes and findings.
        unseen_in_feedback: words that must not stand in the page for the student.
        limits: those it is graded with, where the usual ones do not suit.
        state: the right state of the submission.
        lasting: it tries to change how others are graded: an honest submission is graded after it.
        unsafe: why stock nbgrader is not tried on it; empty: it is.
        xfail: how it gets through today; empty: it does not.
        hangs: how it makes the grader hang today, so that it is not run; empty: it does not.
    """

    id: str
    tries: str
    answers: Mapping[str, str] = field(default_factory=dict)
    cells: tuple[str, ...] = ()
    change: Callable[[NotebookNode], Any] | None = None
    files: Mapping[str, str | bytes] = field(default_factory=dict)
    spoil: Callable[[Path], Any] | None = None
    where: Where = "plain"
    scores: tuple[float | None, ...] = (0, 3, 4, None)
    earns: Literal["exact", "noted", "less"] = "exact"
    told: tuple[Kind, *tuple[str, ...]] | None = None
    unseen: tuple[str, ...] = ()
    unseen_in_feedback: tuple[str, ...] = ()
    lasting: bool = False
    limits: Limits | None = None
    state: str = "graded"
    unsafe: str = ""
    xfail: str = ""
    hangs: str = ""

    @property
    def graded_with(self) -> Limits:
        """The limits it is graded with."""
        return self.limits or (QUICK if self.where in ("plain", "shown") else PATIENT)


@dataclass(frozen=True)
class Place:
    """Where an attack is handed in, and what there is to be reached from there."""

    root: Path
    mark: str
    port: int = 0
    socket: str = ""
    grader: int = 0

    @classmethod
    def new(cls, root: Path, **more: Any) -> "Place":
        """A place with a source, another student's submission, and a secret."""
        place = cls(root, f"mark{uuid.uuid4().hex[:12]}", **more)
        put(place.other, tiny(q1=SQUARE + "\n# OTHER-STUDENTS-ANSWER"))
        place.secret.write_text("CLASS-SEED-SECRET")
        return place

    @property
    def source(self) -> Path:
        return self.root / "source" / "a1"

    @property
    def other(self) -> Path:
        return self.root / "submitted" / "other" / "a1"

    @property
    def secret(self) -> Path:
        return self.root / "class-seed"

    def fill(self, text: str) -> str:
        """Put what is known only now into a text."""
        known = {"MARK": self.mark, "SOURCE": self.source, "OTHER": self.other, "SECRET": self.secret}
        known |= {"PORT": self.port, "SOCKET": self.socket, "GRADER": self.grader}
        for name, value in known.items():
            text = text.replace(f"@{name}@", str(value))
        return text

    def write_source(self, where: Where) -> Path:
        """Write the source of the assignment; of a lesson, its notebook alone."""
        if where in LESSONS:
            folder, name = LESSONS[where]
            return put(self.source, (ROOT / "source" / folder / f"{name}.ipynb").read_bytes(), f"{name}.ipynb")
        if where == "plain":
            put(self.source, make_cases.source())
            (self.source / "common.py").write_text(make_cases.COMMON)
            return self.source
        made = {"kit": kit_notebook, "ranges": ranges_notebook, "shown": shown_notebook}[where]()
        return put(self.source, made, "p1.ipynb")

    def hand_in(self, attack: Attack, name: str = "evil") -> Path:
        """Write what is handed in; return its folder."""
        folder = self.root / "submitted" / name / "a1"
        file = f"{LESSONS[attack.where][1]}.ipynb" if attack.where in LESSONS else "p1.ipynb"
        put(folder, notebook(attack, self), file)
        if attack.spoil is not None:
            attack.spoil(folder)
        for file, content in attack.files.items():
            path = folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            if isinstance(content, bytes):
                path.write_bytes(content)
            elif content.startswith("-> "):
                path.symlink_to(self.fill(content[3:]))
            else:
                path.write_text(self.fill(content))
        return folder


def ranges_notebook(answer: str | None = None) -> NotebookNode:
    """A notebook with the one exercise qparams_from_range, which needs no graph; with an answer, a submission."""
    md, test = make_cases.md, exercise_test(RANGES, RANGES_CASES)
    source = solution(RANGES_ANSWER) if answer is None else answer
    if answer is not None:
        test = test.split("### BEGIN")[0].strip()
    grade_id = "m01_1-qparams_from_range"
    cells = [
        new_code_cell('from common import lesson\n\nlesson("m01_1")', id="setup"),
        new_code_cell(source, id="ranges-answer", metadata=md(f"{grade_id}-answer", False, True, False)),
        new_code_cell(test, id="ranges", metadata=md(grade_id, True, False, True, 4)),
    ]
    return new_notebook(cells=cells, metadata={"kernelspec": make_cases.KS})


SHOWN = ("p1", "p2", "p3", "p4", "p5", "p6")


def shown_notebook(answers: Mapping[str, str] | None = None) -> NotebookNode:
    """A notebook of six tests of 4 points, each of which shows what a function of the student's returns."""
    md, cells = make_cases.md, []
    for name in SHOWN:
        source = (
            f"def {name}():\n    return 4" if answers is None else answers.get(name, f"def {name}():\n    return 3")
        )
        cells.append(new_code_cell(source, id=f"{name}a", metadata=md(name, False, True, False)))
        cells.append(new_code_cell(f"{name}()", id=f"{name}t", metadata=md(f"{name}t", True, False, True, 4)))
    return new_notebook(cells=cells, metadata={"kernelspec": make_cases.KS})


LESSONS = {
    "m02_2": ("m02_by_hand", "m02_2_observers_by_hand"),
    "m01_1": ("m01_ptq", "m01_1_smallest_ptq"),
}
FIRST_TEST = {"plain": "q1t", "shown": "p1t", "kit": "m02_2-insert_after", "ranges": "m01_1-qparams_from_range"}


def notebook(attack: Attack, place: Place) -> NotebookNode:
    """The notebook that is handed in."""
    answers = {name: place.fill(text) for name, text in attack.answers.items()}
    if attack.where in LESSONS:
        folder, name = LESSONS[attack.where]
        made = nbformat.read(ROOT / "release" / folder / f"{name}.ipynb", 4)
    elif attack.where == "plain":
        made = tiny(**answers)
    elif attack.where == "shown":
        made = shown_notebook(answers)
    elif attack.where == "kit":
        made = kit_notebook(**{"insert_after": INSERT_WRONG, "q": "Because."} | answers)
    else:
        made = ranges_notebook(answers.get("ranges", RANGES_WRONG))
    at = 0 if attack.where in LESSONS else made.cells.index(cell(made, FIRST_TEST[attack.where]))
    made.cells[at:at] = [new_code_cell(place.fill(source)) for source in attack.cells]
    if attack.change is not None:
        attack.change(made)
    return made
