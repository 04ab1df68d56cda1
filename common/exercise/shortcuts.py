"""Find calls that do an exercise's job themselves, in the source of an answer.

Only what the answer can reach is searched: the cell's definitions of its name and the functions and classes
of the student's own that they use, so that a try in another cell costs nothing.
"""

import ast
import symtable
from collections.abc import Iterable, Iterator, Sequence

from common.exercise.source import Reader, defined_names, parse_cell, written_module

__all__ = ["defined_names", "find_shortcuts", "parse_cell"]


def find_shortcuts(sources: Sequence[str], name: str, not_allowed: Iterable[str]) -> list[str]:
    """Return the forbidden names that the answer `name` uses, in order, each once.

    A name that the student defines is the student's own. Imports under another name, stored functions, names put
    together from literals (``getattr(m, "con" + "vert")``) and literal source (``exec("…")``) are followed.
    Sources that Python cannot parse are passed over: they did not run either.
    """
    forbidden = set(not_allowed)
    return _Search(sources, forbidden).found_from(name) if forbidden else []


class _Search:
    def __init__(self, sources: Sequence[str], forbidden: set[str]) -> None:
        self.forbidden = forbidden
        self.definitions: dict[str, list[ast.AST]] = {}
        self.own: set[str] = set()
        """Forbidden names that the student has made anew: a function, class or method of that name."""
        self.reader = Reader([])
        trees: list[tuple[ast.Module, str | None]] = []
        for source in sources:
            try:
                trees.append((parse_cell(source), written_module(source)))
            except (SyntaxError, ValueError, RecursionError, MemoryError):
                continue
        for tree, _module in trees:
            self.reader.add(tree)
        for tree, module in trees:
            self._add(tree, module)
            if len(trees) < 1000:  # what a cell runs as literal source defines names as the cell does
                calls = [s.value for s in tree.body if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)]
                new = [found for call in calls for found in self.reader.literal_source(call)[0]]
                trees += [(found, None) for found in new]
                for found in new:
                    self.reader.add(found)

    def _add(self, tree: ast.Module, module: str | None) -> None:
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                self.own.add(node.name)
        for statement in tree.body:
            for defined in (*defined_names(statement), *_filled(statement), *([module] if module else [])):
                self.definitions.setdefault(defined, []).append(statement)
            if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Lambda):
                self.own |= set(defined_names(statement))

    def found_from(self, name: str) -> list[str]:
        found: list[str] = []
        seen: set[str] = set()
        todo = [name]
        while todo:
            current = todo.pop()
            if current in seen:
                continue
            seen.add(current)
            statements = list(self.definitions.get(current, []))
            todo += self._imported(current, found)
            for statement in statements:  # grows by the literal source that a statement runs
                for used in _globals_read(statement):
                    if used in self.forbidden - self.own:
                        found.append(used)
                    todo += [used] if used in self.definitions else []
                    todo += self._imported(used, found)
                found += self._spelled(statement)
                if len(statements) < 1000:
                    statements += self._literal_source(statement)
        return list(dict.fromkeys(found))

    def _imported(self, name: str, found: list[str]) -> list[str]:
        """Note what a name was imported from, if that is forbidden; return what it means among the cells."""
        origins = self.reader.imports.get(name, set())
        parts = [part for origin in origins for part in (origin.partition(".")[0], origin.rpartition(".")[2])]
        last = {origin.rpartition(".")[2] for origin in origins}
        found += sorted(last & self.forbidden)
        return [p for p in parts if p in self.definitions and p != name]

    def _literal_source(self, statement: ast.AST) -> list[ast.AST]:
        trees = [
            tree
            for node in ast.walk(statement)
            if isinstance(node, ast.Call)
            for tree in self.reader.literal_source(node)[0]
        ]
        for tree in trees:
            self.reader.add(tree)
            self._add(tree, None)
        return list(trees)

    def _spelled(self, statement: ast.AST) -> Iterator[str]:
        """Forbidden names that are reached without being a variable: attributes, imports, ``getattr(m, "…")``."""
        for node in ast.walk(statement):
            if isinstance(node, ast.Attribute) and node.attr in self.forbidden:
                if node.attr not in self.own or self._is_module(node.value):
                    yield node.attr
            elif isinstance(node, ast.ImportFrom):
                yield from (a.name for a in node.names if a.name in self.forbidden)
            elif isinstance(node, ast.Call | ast.Subscript):
                for dotted in self.reader.dotted(node) | (
                    self.reader.dotted(node.func) if isinstance(node, ast.Call) else set()
                ):
                    last = dotted.rpartition(".")[2]
                    if last in self.forbidden and not self._is_own(node, last):
                        yield last

    def _is_own(self, node: ast.Call | ast.Subscript, name: str) -> bool:
        """Whether ``splice(…)`` or ``self.splice(…)`` calls what the student has defined."""
        function = node.func if isinstance(node, ast.Call) else node
        if isinstance(function, ast.Name):
            return name in self.own and not self.reader.imports.get(function.id)
        return isinstance(function, ast.Attribute) and name in self.own and not self._is_module(function.value)

    def _is_module(self, node: ast.expr) -> bool:
        roots = {d.partition(".")[0] for d in self.reader.dotted(node)}
        origins = {o.partition(".")[0] for found in self.reader.imports.values() for o in found}
        return bool(roots & origins)


def _filled(statement: ast.stmt) -> Iterator[str]:
    """Names whose object a top-level statement changes: ``tools.run = f``, ``tools["run"] = f``, ``tools.add(f)``."""
    targets: list[ast.expr] = []
    if isinstance(statement, ast.Assign):
        targets = [t for t in statement.targets if isinstance(t, ast.Attribute | ast.Subscript)]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function, arguments = statement.value.func, statement.value.args
        if isinstance(function, ast.Attribute):
            targets = [function.value]
        elif isinstance(function, ast.Name) and function.id == "setattr":
            targets = arguments[:1]
    for target in targets:
        while isinstance(target, ast.Attribute | ast.Subscript):
            target = target.value
        if isinstance(target, ast.Name):
            yield target.id


def _globals_read(statement: ast.AST) -> list[str]:
    """Names that the statement reads and that Python looks up outside of its functions."""
    try:
        table = symtable.symtable(ast.unparse(statement), "cell", "exec")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    found: list[str] = []
    todo = [table]
    while todo:
        scope = todo.pop()
        todo += scope.get_children()
        outermost = scope.get_type() == "module"
        for symbol in scope.get_symbols():
            if symbol.is_referenced() and (outermost or symbol.is_global()):
                found.append(symbol.get_name())
    return found
