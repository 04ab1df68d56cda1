"""Put a student's answers into the instructor's notebook.

The instructor's notebook gives cells, order, tests and points; the submission gives answers and cells of the
student's own. So nothing that happened to the submission's other cells can cost or earn a point.
"""

import copy
import hashlib
import hmac
import re
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.comparing import hidden_builtins
from pt2e_kit.grading.match import Matcher, key_of
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
from pt2e_kit.reading import REPAIRS, repairs


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
    released = {key_of(c): _released_source(c) for c in instructor.cells}
    match = Matcher(template.cells, released, submitted.cells)
    notes = [*(Note("repair", text) for text in repairs(submitted)), *match.notes]
    extras = match.extras()
    answers = {key_of(c): match.answer(c) for c in template.cells if is_answer(c)}
    _adopt(template, answers, extras, notes)
    cells: list[NotebookNode] = []
    sources: list[str] = []
    _place(extras.pop(None, []), cells, sources)
    for cell in template.cells:
        key = key_of(cell)
        answer = answers.get(key)
        if answer is not None:
            _put(answer, cell)
            if cell.cell_type == "code":
                sources.append(cell.source)
        elif is_answer(cell):
            cell.source = released[key]
        cells.append(cell)
        _place(extras.pop(key, []), cells, sources)
    template.cells = cells
    tests = (c.source for c in cells if is_graded(c) and not is_answer(c))
    if hidden := hidden_builtins(sources, tests):
        text = _("built-in names have another meaning in the answers, and tests use them: {names}; nothing was changed")
        notes.append(Note("repair", text.format(names=", ".join(sorted(hidden)))))
    exercises = _with_seeds(template, class_seed, student)
    return Rebuilt(template, exercises, sources, {key for key, a in answers.items() if a is not None}, notes)


def _template(instructor: NotebookNode) -> NotebookNode:
    from nbgrader.utils import compute_checksum  # loads all of nbgrader, while the warm process starts

    template = copy.deepcopy(instructor)
    template.metadata.pop(REPAIRS, None)
    for cell in template.cells:
        if is_answer(cell):
            cell.source = without_solution(cell.source, cell.cell_type)
            if "attachments" in cell:  # those of the solution go with it
                shown = {n: picture for n, picture in cell.attachments.items() if f"attachment:{n}" in cell.source}
                cell.attachments = NotebookNode(shown)
            cell.metadata["nbgrader"]["checksum"] = compute_checksum(cell)  # how nbgrader knows "no response"
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return template


def _released_source(cell: NotebookNode) -> str:
    if is_answer(cell):
        return without_solution(cell.source, cell.cell_type)
    return without_hidden(cell.source)


def _put(theirs: NotebookNode, cell: NotebookNode) -> None:
    """Put a student's source, and pictures in a text, into a cell."""
    cell.source = _harmless(theirs.source, cell.cell_type)
    cell.pop("attachments", None)
    if cell.cell_type != "code" and theirs.get("attachments"):
        cell.attachments = theirs.attachments


def _place(extra: list[NotebookNode], cells: list[NotebookNode], sources: list[str]) -> None:
    for cell in extra:
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        new = make()
        _put(cell, new)
        new.id = f"student-{len(cells)}"
        cells.append(new)
        if cell.cell_type == "code":
            sources.append(cell.source)


def _adopt(
    template: NotebookNode,
    answers: dict[str, NotebookNode | None],
    extras: dict[str | None, list[NotebookNode]],
    notes: list[Note],
) -> None:
    """Take text in cells of its own for the answer to an untouched written question.

    What stands behind the question is its answer; so is the only text there is, where one question is open.
    """
    questions = [key_of(c) for c in template.cells if is_answer(c) and c.cell_type != "code"]
    for key in questions:
        texts = [e for e in extras.get(key, []) if e.cell_type != "code"]
        if answers[key] is None and texts:
            _adopt_texts(key, texts, answers, extras, notes)
    still_open = [key for key in questions if answers[key] is None]
    texts = [e for found in extras.values() for e in found if e.cell_type != "code"]
    if not still_open or not texts:
        return
    if len(still_open) == 1 and len({t.source.strip() for t in texts}) == 1:
        _adopt_texts(still_open[0], texts[-1:], answers, extras, notes)
    else:
        text = _("nothing stands in {ids}, but there is text in cells of the student's own: look there for answers")
        notes.append(Note("repair", text.format(ids=", ".join(still_open))))


def _adopt_texts(
    key: str,
    texts: list[NotebookNode],
    answers: dict[str, NotebookNode | None],
    extras: dict[str | None, list[NotebookNode]],
    notes: list[Note],
) -> None:
    for found in extras.values():
        found[:] = [e for e in found if not any(e is t for t in texts)]
    answers[key] = _one_text(texts)
    notes.append(Note("repair", _("the answer to {id} stood in a cell of its own").format(id=key)))


def _one_text(texts: list[NotebookNode]) -> NotebookNode:
    """Several text cells as one. Pasted pictures have the same name in each of them, so they get others."""
    if len(texts) == 1:
        return texts[0]
    sources, pictures = [], NotebookNode()
    for number, text in enumerate(texts):
        source = text.source
        for name, picture in text.get("attachments", {}).items():
            pictures[f"{number}-{name}"] = picture
            source = source.replace(f"attachment:{name}", f"attachment:{number}-{name}")
        sources.append(source)
    return NotebookNode(cell_type="markdown", source="\n\n".join(sources), attachments=pictures)


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


_OTHER_LINK = re.compile(r"(?i)(\]\(\s*<?|\]:\s*<?)(?!https?://|mailto:|attachment:[\w .,()+%-]+\))(?=[^\s)]*[:&\\])")
"""Where the target of a link begins that has a scheme other than these: javascript: and the like."""
_FETCHED_PICTURE = re.compile(r"!(?=\[)(?!\[(?:[^\]\\]|\\.)*\]\(\s*<?attachment:)")
"""The sign that makes a picture of a link, unless the picture lies in the notebook itself."""


def _harmless(source: str, cell_type: str) -> str:
    """A student's source without what files, nbgrader's later steps and browsers stumble over.

    It means the same to Python. In text, an invisible space keeps tags from being tags, and links from running scripts;
    a picture from elsewhere becomes a link, because fetching it would tell its server who reads the answer, and when.
    """
    source = source.replace("\0", "\N{SYMBOL FOR NULL}")
    source = re.sub(r"(BEGIN|END) (SOLUTION|HIDDEN TESTS|MARK SCHEME)", r"\1-\2", source)
    if cell_type != "code":
        source = re.sub(r"<(?=[A-Za-z/!?])", "<\N{ZERO WIDTH SPACE}", source)
        source = _OTHER_LINK.sub("\\1\N{ZERO WIDTH SPACE}", source)
        source = _FETCHED_PICTURE.sub("", source)
    return source


def unanswered(rebuilt: Rebuilt, cell: NotebookNode) -> bool:
    """Whether a written answer was left as it was handed out."""
    return is_graded(cell) and is_answer(cell) and grade_metadata(cell)["grade_id"] not in rebuilt.answered


__all__: list[Any] = ["Rebuilt", "derived_seed", "rebuild", "unanswered"]
