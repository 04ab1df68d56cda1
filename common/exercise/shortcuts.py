"""Find calls that do an exercise's job themselves, in the source of an answer.

Only what the answer can reach is searched: the cell's definitions of its name and the functions and classes
of the student's own that they use, so that a try in another cell costs nothing.
"""

import ast
from collections.abc import Iterable, Sequence

_LOOK_UPS = {"getattr", "attrgetter", "methodcaller", "import_module", "__import__", "eval", "exec"}


def find_shortcuts(sources: Sequence[str], name: str, not_allowed: Iterable[str]) -> list[str]:
    """Return the forbidden names that the answer `name` uses, in order, each once.

    A name that the student defines is the student's own. Imports under another name are followed.
    Sources that Python cannot parse are passed over: they did not run either.
    """
    forbidden = set(not_allowed)
    if not forbidden:
        return []
    definitions: dict[str, list[ast.AST]] = {}
    aliases: dict[str, str] = {}
    for source in sources:
        try:
            tree = parse_cell(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom | ast.Import):
                aliases |= {a.asname or a.name: a.name.rsplit(".", 1)[-1] for a in node.names}
        for statement in tree.body:
            for defined in defined_names(statement):
                definitions.setdefault(defined, []).append(statement)
    found: list[str] = []
    seen: set[str] = set()
    todo = [name]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        for statement in definitions.get(current, []):
            for used in _globals_read(statement):
                if (real := aliases.get(used)) in forbidden or (real := used) in forbidden - set(definitions):
                    found.append(real)
                elif used in definitions:
                    todo.append(used)
            found += [n for n in _names_spelled(statement) if n in forbidden and n not in [*found, *definitions]]
    return list(dict.fromkeys(found))


def parse_cell(source: str) -> ast.Module:
    """Parse a notebook cell; lines with IPython magics count as `pass`."""
    lines = source.replace("\r\n", "\n").split("\n")
    return ast.parse("\n".join("pass" if line.startswith(("%", "!")) else line for line in lines))


def defined_names(statement: ast.stmt) -> Iterable[str]:
    """Return the names that a top-level statement defines, imports apart."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield statement.name
    elif isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign | ast.For | ast.With | ast.If | ast.Try):
        for node in ast.walk(statement):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, ast.FunctionDef | ast.ClassDef) and isinstance(statement, ast.If | ast.Try):
                yield node.name


def _globals_read(statement: ast.AST) -> Iterable[str]:
    """Names that the statement reads and does not make itself (parameters and local variables are its own)."""
    local = isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    own: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.arg):
            own.add(node.arg)
        elif isinstance(node, ast.comprehension):
            own |= {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)}
        elif local and isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            own.add(node.id)
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id not in own:
            yield node.id


def _names_spelled(statement: ast.AST) -> Iterable[str]:
    """Names that are reached without being a variable: attributes, imports, ``getattr(m, "…")``, ``vars(m)["…"]``."""
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.ImportFrom):
            yield from (a.name for a in node.names)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in _LOOK_UPS:
            yield from (a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str))
        elif isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            yield str(node.slice.value)
