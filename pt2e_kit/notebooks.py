"""Notebooks as files and cells: read leniently, write canonically, find what is graded."""

import ast
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import nbformat
from nbformat import NotebookNode, ValidationError
from nbformat.v4.nbbase import validate

from common.i18n import _

KERNELSPEC = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}
STUB = "# YOUR CODE HERE\nraise NotImplementedError()"
TEXT_STUB = "YOUR ANSWER HERE"
SOLUTION = re.compile(
    r"^(?P<indent>[ \t]*)### BEGIN SOLUTION[^\n]*\n.*?^[ \t]*### END SOLUTION[^\n]*$", re.MULTILINE | re.DOTALL
)
HIDDEN = re.compile(
    r"^[ \t]*### BEGIN HIDDEN TESTS[^\n]*\n.*?^[ \t]*### END HIDDEN TESTS[^\n]*\n?", re.MULTILINE | re.DOTALL
)


MAX_CELLS = 3000
"""A notebook with more cells is not read: matching them would keep the grader busy for long."""


class Unreadable(ValueError):
    """A file that is no notebook; the message says why, in words."""


def read_notebook(data: bytes) -> NotebookNode:
    """Read a notebook from bytes: any encoding of Unicode, any line ends, nbformat 3 and 4.

    Raises:
        Unreadable: it is empty, cut off, no notebook, or of a version that nobody knows yet.
    """
    if not data.strip():
        raise Unreadable(_("the file is empty"))
    raw = _parse_json(_decode(data))
    if not isinstance(raw, dict) or not isinstance(raw.get("nbformat"), int):
        raise Unreadable(_("it is JSON, but not a notebook"))
    if raw["nbformat"] not in (3, 4):
        raise Unreadable(_("its notebook format is version {v}; versions 3 and 4 are known").format(v=raw["nbformat"]))
    try:
        if raw["nbformat"] == 3:
            return _mended(nbformat.reads(json.dumps(raw), as_version=4))
        return _mended(nbformat.from_dict(raw))
    except Exception as error:
        raise Unreadable(_("its cells cannot be read: {e}").format(e=str(error)[:200])) from None


def _decode(data: bytes) -> str:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        encoding = "utf-16"
    elif data[:2] in (b"{\0", b"\n\0"):
        encoding = "utf-16-le"
    elif data[:2] in (b"\0{", b"\0\n"):
        encoding = "utf-16-be"
    else:
        encoding = "utf-8-sig"
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        raise Unreadable(_("it is neither UTF-8 nor UTF-16 text")) from None


def _parse_json(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        start = text.lstrip()[:200].lower()
        if start.startswith(("<!doctype", "<html", "<?xml")):
            raise Unreadable(_("it is a web page, not a notebook (saved while logged out?)")) from None
        if not start.startswith("{"):
            raise Unreadable(_("it does not begin like a notebook")) from None
        if error.pos >= len(text.rstrip()) - 1 or "Unterminated" in error.msg:
            raise Unreadable(_("it is cut off in the middle, as after a broken upload")) from None
        raise Unreadable(_("it is damaged near line {n}: {e}").format(n=error.lineno, e=error.msg)) from None
    except RecursionError:
        raise Unreadable(_("it is nested too deeply")) from None
    except ValueError as error:  # a number of thousands of digits
        raise Unreadable(_("it is damaged: {e}").format(e=str(error)[:80])) from None


def _mended(raw: NotebookNode) -> NotebookNode:
    """Keep of each cell what grading needs, in nbformat 4.5, with ids that are there and unique."""
    cells, seen = [], set()
    given = raw.get("cells", [])
    if len(given) > MAX_CELLS:
        raise ValueError(_("there are {n} of them; more than {max} are not read").format(n=len(given), max=MAX_CELLS))
    for number, cell in enumerate(given):
        kind = cell.get("cell_type")
        source = cell.get("source") or ""
        source = "".join(map(str, source)) if isinstance(source, list) else str(source)
        source = whole_text(source.replace("\r\n", "\n").replace("\r", "\n"))
        make = {"code": nbformat.v4.new_code_cell, "raw": nbformat.v4.new_raw_cell}.get(
            kind, nbformat.v4.new_markdown_cell
        )
        new = make(source)
        metadata = cell.get("metadata", {})
        new.metadata = metadata if isinstance(metadata, dict) else NotebookNode()
        try:
            validate(new, f"{new.cell_type}_cell")
        except ValidationError:  # tags of a wrong type, say: no reason to refuse a notebook
            new.metadata = NotebookNode({k: v for k, v in new.metadata.items() if k == "nbgrader"})
        own_id = cell.get("id")
        valid = isinstance(own_id, str) and re.fullmatch(r"[A-Za-z0-9_-]{1,64}", own_id) and own_id not in seen
        new.id = own_id if valid else f"cell-{number}"
        seen.add(new.id)
        cells.append(new)
    return nbformat.v4.new_notebook(cells=cells, metadata=NotebookNode(kernelspec=dict(KERNELSPEC)))


def whole_text(text: str) -> str:
    """Return text that can be written as UTF-8: half of a surrogate pair becomes a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text


def grade_metadata(cell: NotebookNode) -> dict[str, Any]:
    """Return the nbgrader metadata of a cell; empty where it has none or nonsense."""
    found = cell.get("metadata", {}).get("nbgrader", {})
    return found if isinstance(found, dict) and isinstance(found.get("grade_id"), str) else {}


def is_answer(cell: NotebookNode) -> bool:
    """Whether students write into this cell (nbgrader: solution)."""
    return bool(grade_metadata(cell).get("solution"))


def is_graded(cell: NotebookNode) -> bool:
    """Whether the cell has a score."""
    return bool(grade_metadata(cell).get("grade"))


def without_solution(source: str, cell_type: str = "code") -> str:
    """Return the source as students get it: each solution region replaced by the stub.

    A solution cell without a region is replaced as a whole, as nbgrader does.
    """
    stub = STUB if cell_type == "code" else TEXT_STUB

    def replace(match: re.Match[str]) -> str:
        return "\n".join(match["indent"] + line for line in stub.split("\n"))

    new, count = SOLUTION.subn(replace, source)
    return new if count else stub


def without_hidden(source: str) -> str:
    """Return the source of a test cell as students see it."""
    return HIDDEN.sub("", source).rstrip("\n")


@dataclass(frozen=True)
class ExerciseCell:
    """A test cell of one of the kit's exercises in an instructor notebook."""

    index: int
    grade_id: str
    exercise_id: str
    cases: list[dict[str, Any]] = field(default_factory=list)


def exercise_cells(notebook: NotebookNode) -> Iterator[ExerciseCell]:
    """Yield the cells that call ``evidence("<exercise id>", cases=[…])``, in order.

    Raises:
        ValueError: the call's arguments are not plain literals. That is an author's error.
    """
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not is_graded(cell) or "evidence(" not in cell.source:
            continue
        for call in _evidence_calls(cell.source):
            exercise_id, cases = evidence_arguments(call)
            yield ExerciseCell(index, grade_metadata(cell)["grade_id"], exercise_id, cases)


def _evidence_calls(source: str) -> list[ast.Call]:
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return []
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call)]
    return [c for c in calls if isinstance(c.func, ast.Name) and c.func.id == "evidence"]


def evidence_arguments(call: ast.Call) -> tuple[str, list[dict[str, Any]]]:
    """Return exercise id and cases of an `evidence` call."""
    try:
        (exercise_id,) = (ast.literal_eval(a) for a in call.args)
        keywords = {k.arg: ast.literal_eval(k.value) for k in call.keywords}
    except ValueError:
        line = call.lineno
        raise ValueError(f"line {line}: evidence() takes an id and cases=[…] as plain literals") from None
    return exercise_id, list(keywords.get("cases", []))


def with_cases(source: str, exercise_id: str, cases: list[dict[str, Any]]) -> str:
    """Return the source of a test cell with the cases of its `evidence` call replaced."""
    (call,) = (c for c in _evidence_calls(source) if evidence_arguments(c)[0] == exercise_id)
    lines = source.split("\n")
    assert call.end_lineno is not None and call.end_col_offset is not None
    before = [*lines[: call.lineno - 1], lines[call.lineno - 1].encode()[: call.col_offset].decode()]
    after = [lines[call.end_lineno - 1].encode()[call.end_col_offset :].decode(), *lines[call.end_lineno :]]
    return "\n".join(before) + f"evidence({exercise_id!r}, cases={cases!r})" + "\n".join(after)
