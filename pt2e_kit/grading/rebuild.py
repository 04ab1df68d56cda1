"""Put a student's answers into the instructor's notebook.

The instructor's notebook gives cells, order, tests and points; the submission gives answers and cells of the
student's own. So nothing that happened to the submission's other cells can cost or earn a point.
"""

import ast
import copy
import difflib
import functools
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode
from nbgrader.utils import compute_checksum

from common.i18n import _
from pt2e_kit.grading.notes import Note
from pt2e_kit.notebooks import (
    ExerciseCell,
    exercise_cells,
    grade_metadata,
    is_answer,
    is_graded,
    with_cases,
    without_hidden,
    without_solution,
)

LIKENESS = 0.6
"""From here on two cells are taken for the same one (difflib ratio of the words in their sources)."""
MAX_COMPARED = 20_000_000
"""Pairs of words that are compared at most; a submission could keep us busy for hours otherwise."""


@dataclass
class Rebuilt:
    """A notebook that is ready to run, and what is known about it."""

    notebook: NotebookNode
    exercises: list[ExerciseCell]
    student_sources: list[str]
    """Sources of the cells that the student wrote: answers, then other cells of theirs."""
    answered: set[str]
    """Grade ids of answer cells that differ from what was handed out."""
    notes: list[Note] = field(default_factory=list)


def rebuild(instructor: NotebookNode, submitted: NotebookNode, *, class_seed: str, student: str) -> Rebuilt:
    """Return the instructor's notebook with the student's answers in it; see the module's text."""
    template = _template(instructor)
    released = {_key(c): _released_source(c) for c in instructor.cells}
    match = _Matcher(template.cells, released, submitted.cells)
    notes = match.notes
    cells: list[NotebookNode] = []
    sources: list[str] = []
    answered: set[str] = set()
    extras = match.extras()
    _place(extras.pop(None, []), cells, sources)
    for cell in template.cells:
        key = _key(cell)
        if is_answer(cell):
            cell.source, was_answered = match.answer(cell)
            if not was_answered and cell.cell_type != "code":
                was_answered = _adopt(cell, extras, notes)
            if was_answered:
                answered.add(grade_metadata(cell)["grade_id"])
                if cell.cell_type == "code":
                    sources.append(cell.source)
        cells.append(cell)
        _place(extras.pop(key, []), cells, sources)
    template.cells = cells
    exercises = _with_seeds(template, class_seed, student)
    return Rebuilt(template, exercises, sources, answered, notes)


def _key(cell: NotebookNode) -> str:
    return grade_metadata(cell).get("grade_id") or cell.id


def _template(instructor: NotebookNode) -> NotebookNode:
    template = copy.deepcopy(instructor)
    for cell in template.cells:
        if is_answer(cell):
            cell.source = without_solution(cell.source, cell.cell_type)
            cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)  # how nbgrader knows "no response"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return template


def _released_source(cell: NotebookNode) -> str:
    if is_answer(cell):
        return without_solution(cell.source, cell.cell_type)
    return without_hidden(cell.source)


def _place(extra: list[NotebookNode], cells: list[NotebookNode], sources: list[str]) -> None:
    for cell in extra:
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        new = make(_harmless(cell))
        new.id = f"student-{len(cells)}"
        cells.append(new)
        if cell.cell_type == "code":
            sources.append(cell.source)


def _adopt(cell: NotebookNode, extras: dict[str | None, list[NotebookNode]], notes: list[Note]) -> bool:
    """Take text that stands in cells of its own behind an untouched written question for its answer."""
    behind = extras.get(_key(cell), [])
    texts = [e for e in behind if e.cell_type != "code"]
    if not texts:
        return False
    extras[_key(cell)] = [e for e in behind if e.cell_type == "code"]
    cell.source = "\n\n".join(map(_harmless, texts))
    notes.append(Note("repair", _("the answer to {id} stood in a cell of its own").format(id=_key(cell))))
    return True


def _with_seeds(template: NotebookNode, class_seed: str, student: str) -> list[ExerciseCell]:
    """Add to each hidden case a seed that nobody can know beforehand, and write it into the cell."""
    found = []
    for cell in list(exercise_cells(template)):
        cases = [
            {"seed": derived_seed(class_seed, student, cell.exercise_id, number)} | case
            for number, case in enumerate(cell.cases)
        ]
        if cases:
            node = template.cells[cell.index]
            node.source = with_cases(node.source, cell.exercise_id, cases)
        found.append(ExerciseCell(cell.index, cell.grade_id, cell.exercise_id, cases))
    return found


def derived_seed(class_seed: str, student: str, exercise_id: str, number: int) -> int:
    """Return the seed of a hidden case, 31 bits of HMAC-SHA-256(class seed, student, exercise, number)."""
    message = "\0".join((student, exercise_id, str(number))).encode("utf-8", "surrogatepass")
    return int.from_bytes(hmac.digest(class_seed.encode(), message, hashlib.sha256)[:4], "big") >> 1


class _Matcher:
    """Which submitted cell is which cell of the template."""

    def __init__(self, template: list[NotebookNode], released: dict[str, str], submitted: list[NotebookNode]) -> None:
        self.template, self.released, self.submitted = template, released, submitted
        self.notes: list[Note] = []
        self.by_key = {_key(c): c for c in template}
        self.matches: dict[str, list[int]] = {key: [] for key in self.by_key}
        self.owner: dict[int, str] = {}
        self.compared = 0
        self._words = functools.cache(_words)
        self._defined = functools.cache(_defined)
        self._by_grade_id()
        self._by_cell_id()
        self._by_likeness()
        self._by_position()
        self._remark()
        self._settle_duplicates()
        self._answers_in_other_cells()

    def _claim(self, index: int, key: str) -> None:
        self.matches[key].append(index)
        self.owner[index] = key

    def _free(self) -> list[int]:
        return [i for i in range(len(self.submitted)) if i not in self.owner]

    def _by_grade_id(self) -> None:
        graded = {grade_metadata(c).get("grade_id"): _key(c) for c in self.template if grade_metadata(c)}
        for i in self._free():
            key = graded.get(grade_metadata(self.submitted[i]).get("grade_id"))
            if key is not None:
                self._claim(i, key)

    def _by_cell_id(self) -> None:
        ids = {c.id: _key(c) for c in self.template}
        for i in self._free():
            key = ids.get(self.submitted[i].id)
            if key is not None and not self.matches[key]:
                self._claim(i, key)

    def _by_likeness(self) -> None:
        """Cells that are word for word as handed out, then answers that define what is asked for, then near ones."""
        for test in (self._same, self._defines_the_same, self._alike):
            for key, cell in self.by_key.items():
                if self.matches[key]:
                    continue
                for i in self._free():
                    if test(cell, key, self.submitted[i]):
                        self._claim(i, key)
                        break

    def _same(self, _cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        return bool(submitted.source.strip()) and submitted.source.strip() == self.released[key].strip()

    def _defines_the_same(self, cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        if not is_answer(cell) or cell.cell_type != "code":
            return False
        return bool(self._defined(self.released[key]) & self._defined(submitted.source))

    def _alike(self, cell: NotebookNode, key: str, submitted: NotebookNode) -> bool:
        if is_answer(cell) and cell.cell_type == "code":
            return False  # an answer is recognised by what it defines or by its place
        ours, theirs = self._words(self.released[key]), self._words(submitted.source)
        shorter, longer = sorted((len(ours), len(theirs)))
        if 2 * shorter <= LIKENESS * (shorter + longer) or self.compared > MAX_COMPARED:
            return False
        self.compared += shorter * longer
        matcher = difflib.SequenceMatcher(None, ours, theirs, autojunk=False)
        return matcher.quick_ratio() > LIKENESS and matcher.ratio() > LIKENESS

    def _by_position(self) -> None:
        """An answer cell that nothing else recognises: the only free cell between its matched neighbours."""
        keys = list(self.by_key)
        for n, key in enumerate(keys):
            if self.matches[key] or not is_answer(self.by_key[key]):
                continue
            before = [i for k in keys[:n] for i in self.matches[k]]
            after = [i for k in keys[n + 1 :] for i in self.matches[k]]
            low, high = max(before, default=-1), min(after, default=len(self.submitted))
            kind = self.by_key[key].cell_type
            between = [i for i in self._free() if low < i < high and self.submitted[i].cell_type == kind]
            if len(between) == 1:
                self._claim(between[0], key)

    def _remark(self) -> None:
        bare = 0
        for key, cell in self.by_key.items():
            found = self.matches[key]
            if not grade_metadata(cell):
                continue
            if len(found) > 1:
                text = _("cell {id} is there {n} times (a duplicate)")
                self.notes.append(Note("repair", text.format(id=key, n=len(found))))
            elif not found:
                text = _("cell {id} is missing; it was put back").format(id=key)
                self.notes.append(Note("repair", text))
            if found and not is_answer(cell):
                self._remark_on_test(key, [self.submitted[i] for i in found])
            bare += any(grade_metadata(self.submitted[i]).get("grade_id") is None for i in found)
        if bare:
            text = _("{n} cells had lost their metadata; they were found by id, likeness or place").format(n=bare)
            self.notes.append(Note("repair", text))

    def _remark_on_test(self, key: str, found: list[NotebookNode]) -> None:
        points = grade_metadata(self.by_key[key]).get("points")
        if not any(self.released[key].strip() in c.source for c in found):  # around it may stand a merged answer
            self.notes.append(Note("suspicion", _("test cell {id} was edited; ours was run").format(id=key)))
        if any(grade_metadata(c).get("points", points) != points for c in found):
            text = _("the points of cell {id} were changed; ours count").format(id=key)
            self.notes.append(Note("suspicion", text))

    def _changed(self, key: str) -> list[int]:
        stub = self.released[key].strip()
        return [i for i in self.matches[key] if self.submitted[i].source.strip() not in ("", stub)]

    def _settle_duplicates(self) -> None:
        """Of several changed cells with one id, the last before the next test stands for the cell.

        The others run where they stand, as they did for the student: they may be the halves of a split cell, an
        earlier try, or a try further down that must not reach the test.
        """
        keys = list(self.by_key)
        for n, key in enumerate(keys):
            changed = self._changed(key)
            if len(self.matches[key]) < 2 or not changed:
                continue
            if is_answer(self.by_key[key]):
                tests = (k for k in keys[n + 1 :] if is_graded(self.by_key[k]) and not is_answer(self.by_key[k]))
                end = min(self.matches.get(next(tests, ""), []), default=len(self.submitted))
                counts = max((i for i in changed if i < end), default=changed[-1])
            elif len(changed) < len(self.matches[key]):
                counts = -1  # the test itself is there too; what was made of its copies is the student's own
            else:
                continue
            for i in set(changed) - {counts}:
                self.matches[key].remove(i)
                del self.owner[i]

    def _answers_in_other_cells(self) -> None:
        """Where an answer cell is gone, take the cell that defines what it asks for: the two were merged."""
        for key, cell in self.by_key.items():
            if self.matches[key] or not is_answer(cell) or cell.cell_type != "code":
                continue
            names = self._defined(self.released[key])
            for i, submitted in enumerate(self.submitted):
                if names and names <= self._defined(submitted.source):
                    self.matches[key].append(i)
                    self.notes.append(Note("repair", _("the answer to {id} stood in another cell").format(id=key)))
                    break

    def answer(self, cell: NotebookNode) -> tuple[str, bool]:
        """Return the source for an answer cell, and whether it is an answer (not the stub or nothing)."""
        changed = self._changed(_key(cell))
        if not changed:
            return self.released[_key(cell)], False
        return _harmless(self.submitted[changed[-1]]), True

    def extras(self) -> dict[str | None, list[NotebookNode]]:
        """The student's own cells, by the template cell behind which they stand (None: at the top).

        A cell of ours that students may edit, and that was edited, counts as such too: it runs after ours.
        """
        found: dict[str | None, list[NotebookNode]] = {}
        last: str | None = None
        order = {key: n for n, key in enumerate(self.by_key)}
        for i, cell in enumerate(self.submitted):
            key = self.owner.get(i)
            if key is not None:
                last = key if last is None or order[key] >= order[last] else last
            own = key is None or self._is_edited(key, cell)
            if own and cell.cell_type in ("code", "markdown") and cell.source.strip():
                found.setdefault(last if key is None else key, []).append(cell)
        return found

    def _is_edited(self, key: str, cell: NotebookNode) -> bool:
        ours = self.by_key[key]
        free = not grade_metadata(ours) or not (is_answer(ours) or grade_metadata(ours).get("locked"))
        changed = cell.source.strip() != self.released[key].strip()
        return free and changed and cell.cell_type == ours.cell_type == "code"


_OTHER_LINK = re.compile(r"(?i)(\]\(\s*<?|\]:\s*<?)(?!https?://|mailto:)(?=[^\s)]*[:&\\])")
"""Where the target of a link begins that has a scheme other than these: javascript: and the like."""


def _harmless(cell: NotebookNode) -> str:
    """A student's source without what files, nbgrader's later steps and browsers stumble over.

    It means the same to Python. In text, an invisible space keeps tags from being tags, and links from running scripts.
    """
    source = cell.source.replace("\0", "\N{SYMBOL FOR NULL}")
    source = re.sub(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)", r"\1-\2", source)
    if cell.cell_type != "code":
        source = re.sub(r"<(?=[A-Za-z/!?])", "<\N{ZERO WIDTH SPACE}", source)
        source = _OTHER_LINK.sub("\\1\N{ZERO WIDTH SPACE}", source)
    return source


def _words(source: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", source)


def _defined(source: str) -> set[str]:
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {line.split("(")[0].split(":")[0].split()[1] for line in source.split("\n") if _is_head(line)}
    named = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    return named | {t.id for n in tree.body if isinstance(n, ast.Assign) for t in n.targets if isinstance(t, ast.Name)}


def _is_head(line: str) -> bool:
    return line.startswith(("def ", "class ")) and len(line.split()) > 1


def unanswered(rebuilt: Rebuilt, cell: NotebookNode) -> bool:
    """Whether a written answer was left as it was handed out."""
    return is_graded(cell) and is_answer(cell) and grade_metadata(cell)["grade_id"] not in rebuilt.answered


__all__: list[Any] = ["Rebuilt", "derived_seed", "rebuild", "unanswered"]
