"""What two sources of cells have in common."""

import ast
import builtins
import re
from collections.abc import Iterable

from common.exercise.source import defined_names, parse_cell, parsed


def words(source: str) -> list[str]:
    """Return the words and marks of a source."""
    return re.findall(r"\w+|[^\w\s]", source)


_UNREADABLE = (SyntaxError, ValueError, RecursionError, MemoryError)


def parses(source: str) -> bool:
    """Whether Python, with IPython's magics, can read it."""
    try:
        parse_cell(source)
    except _UNREADABLE:
        return False
    return True


def says_nothing(source: str) -> bool:
    """Whether it is comments only, or `pass`: nothing that could be an answer."""
    try:
        body = parse_cell(source).body
    except _UNREADABLE:
        return False
    return all(isinstance(n, ast.Pass) or (isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)) for n in body)


def has_code(source: str, ours: str) -> bool:
    """Whether all statements of ours stand in the source, whatever their layout; around them may be a merged answer."""
    try:
        theirs, wanted = ([ast.dump(n) for n in parse_cell(text).body] for text in (source, ours))
    except _UNREADABLE:
        return has_lines(source, ours)
    return any(theirs[n : n + len(wanted)] == wanted for n in range(len(theirs) - len(wanted) + 1))


def has_lines(source: str, lines: str) -> bool:
    """Whether a passage stands in the source as whole lines."""
    return f"\n{lines}\n" in f"\n{source.strip()}\n"


def defined(source: str) -> set[str]:
    """Return the names that a cell defines; where Python cannot read it, those of its heads of functions."""
    try:
        tree = parse_cell(source)
    except _UNREADABLE:
        return {line.split("(")[0].split(":")[0].split()[1] for line in source.split("\n") if _is_head(line)}
    return {name for statement in tree.body for name in _defined_by(statement)}


def _defined_by(statement: ast.stmt) -> Iterable[str]:
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=targets):
            return [t.id for t in targets if isinstance(t, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name), value=value) if value is not None:
            return [name]
    return []


def _is_head(line: str) -> bool:
    return line.startswith(("def ", "class ")) and len(line.split()) > 1


def without_lines(source: str, lines: str) -> str:
    """Return the source without a passage that stands in it as whole lines."""
    return re.sub(rf"^{re.escape(lines)}$\n?", "", source, count=1, flags=re.MULTILINE).rstrip("\n")


def hidden_builtins(sources: Iterable[str], tests: Iterable[str]) -> set[str]:
    """Return built-in names (list, sum) that the sources give another meaning and that the tests read."""
    made = {name for tree in parsed(sources) for statement in tree.body for name in defined_names(statement)}
    read = {n.id for tree in parsed(tests) for n in ast.walk(tree) if isinstance(n, ast.Name)}
    return made & read & set(dir(builtins))
