"""What is run, in which order, and how: the cells of a rebuilt notebook for whatever runs them."""

import ast
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from IPython.core.inputtransformer2 import TransformerManager
from nbformat import NotebookNode

from common.exercise.shortcuts import parse_cell
from pt2e_kit.notebooks import exercise_cells, is_answer, is_graded


@dataclass(frozen=True)
class Step:
    """One cell to be run."""

    index: int
    source: str
    kind: str = "cell"
    """"cell": in the student's process, as a notebook runs it; "test": a plain test, in a process forked from it."""
    silent: bool = False
    """Run for what it defines only; its outputs and status are not kept."""
    more: dict[str, Any] = field(default_factory=dict)
    """For a test: `names` that the notebook is to define, and the instructor's `imports`."""


def steps(notebook: NotebookNode, instructor: NotebookNode) -> list[Step]:
    """Return the code cells of a rebuilt notebook in order.

    A plain test runs in a process of its own. Where a later cell uses a name that it defines, or it does something
    else that lasts, it runs a second time in the student's process, silently.
    """
    ours = {cell.index for cell in exercise_cells(notebook)}
    defined, imports = _names_of(instructor), _imports(instructor)
    used = [_used(cell.source) if cell.cell_type == "code" else set() for cell in notebook.cells]
    found: list[Step] = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type != "code" or not cell.source.strip():
            continue
        test = (
            is_graded(cell) and not is_answer(cell) and index not in ours and not cell.source.lstrip().startswith("%%")
        )
        if not test:
            found.append(Step(index, cell.source))
            continue
        source = TransformerManager().transform_cell(cell.source)
        found.append(Step(index, source, "test", more={"names": sorted(defined), "imports": imports}))
        later = set().union(*used[index + 1 :]) if index + 1 < len(used) else set()
        if _lasts(cell.source, later):
            found.append(Step(index, cell.source, silent=True))
    return found


def libraries(instructors: list[NotebookNode], helpers: Path) -> list[str]:
    """Return the modules that the instructor's notebooks import, the course's own helper files apart, sorted."""
    own = {p.stem for p in helpers.glob("*.py")} | {p.name for p in helpers.iterdir() if p.is_dir()}
    found = set()
    for notebook in instructors:
        for tree in _trees(notebook):
            for node in ast.walk(tree):
                if isinstance(node, ast.Import):
                    found |= {alias.name for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                    found.add(node.module)
    return sorted(name for name in found if name.partition(".")[0] not in own)


def _trees(notebook: NotebookNode) -> list[ast.Module]:
    trees = []
    for cell in notebook.cells:
        if cell.cell_type == "code":
            tree = _parsed(cell.source)
            if tree is not None:
                trees.append(tree)
    return trees


def _parsed(source: str) -> ast.Module | None:
    try:
        return parse_cell(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _names_of(instructor: NotebookNode) -> set[str]:
    """What the instructor's cells define, solutions and tests included: these names are the notebook's own."""
    return {name for tree in _trees(instructor) for statement in tree.body for name in _bound(statement, imports=False)}


def _imports(instructor: NotebookNode) -> list[str]:
    """The import statements of the instructor's cells, each once, in order."""
    found: dict[str, None] = {}
    for tree in _trees(instructor):
        for statement in tree.body:
            star = isinstance(statement, ast.ImportFrom) and any(a.name == "*" for a in statement.names)
            if isinstance(statement, (ast.Import, ast.ImportFrom)) and not star:
                found[ast.unparse(statement)] = None
    return list(found)


def _bound(statement: ast.stmt, *, imports: bool = True) -> set[str]:
    """Names that a statement binds in the notebook's namespace."""
    names: set[str] = set()
    for node in _outside_functions(statement):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif imports and isinstance(node, (ast.Import, ast.ImportFrom)):
            names |= {(a.asname or a.name).partition(".")[0] for a in node.names}
    return names


def _outside_functions(statement: ast.AST) -> list[ast.AST]:
    found: list[ast.AST] = [statement]
    if not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
        for child in ast.iter_child_nodes(statement):
            found += _outside_functions(child)
    return found


def _used(source: str) -> set[str]:
    """Names that a cell reads; where it cannot be parsed, every word of it."""
    tree = _parsed(source)
    if tree is None:
        return set(source.replace("(", " ").replace(".", " ").split())
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)}


def _lasts(source: str, later: set[str]) -> bool:
    """Whether a test does something that cells behind it may need."""
    tree = _parsed(source)
    if tree is None or source.lstrip().startswith(("%", "!")) or "\n%" in source or "\n!" in source:
        return True
    for statement in tree.body:
        if _bound(statement) & (later | {"*"}):
            return True
        for node in _outside_functions(statement):
            if isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store):
                return True
            if isinstance(node, ast.Call) and "seed" in getattr(node.func, "attr", getattr(node.func, "id", "")):
                return True
    return False
