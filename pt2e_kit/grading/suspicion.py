"""Look at a student's source for what reaches into the machinery that runs it: noted for a person, never a verdict."""

import ast
from collections.abc import Iterable

from common.exercise.shortcuts import parse_cell
from common.i18n import _
from pt2e_kit.grading.notes import Note

MACHINERY = {
    "input_transformers_cleanup",
    "input_transformers_post",
    "input_transformer_manager",
    "ast_transformers",
    "showtraceback",
    "_showtraceback",
    "displayhook",
    "display_pub",
    "do_execute",
    "run_cell",
    "NotJudged",
    "write_piece",
    "PT2E_KIT_EVIDENCE",
    "common.exercise",
    "common.checks",
}


def look(sources: Iterable[str]) -> list[Note]:
    """Return notes on names of the kernel's or the grader's machinery, and on objects that are equal to all."""
    found: set[str] = set()
    equal_to_all = False
    for source in sources:
        try:
            tree = parse_cell(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            found |= set(_names(node)) & MACHINERY
            equal_to_all = equal_to_all or _is_always_equal(node)
    notes = []
    if found:
        text = _("the answers reach into the machinery of kernel or grader: {names}")
        notes.append(Note("suspicion", text.format(names=", ".join(sorted(found)))))
    if equal_to_all:
        notes.append(Note("suspicion", _("the answers define an object that is equal to everything")))
    return notes


def _names(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
    elif isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Import):
        for alias in node.names:
            yield ".".join(alias.name.split(".")[:2])
    elif isinstance(node, ast.ImportFrom):
        yield ".".join((node.module or "").split(".")[:2])
        yield from (alias.name for alias in node.names)


def _is_always_equal(node: ast.AST) -> bool:
    if isinstance(node, ast.FunctionDef) and node.name == "__eq__":
        last = node.body[-1]
        return isinstance(last, ast.Return) and isinstance(last.value, ast.Constant) and last.value.value is True
    return False
