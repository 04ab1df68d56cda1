"""Read a student's cells as source: parse them, and follow names, imports and literal strings. Nothing is run.

What `shortcuts` (what an answer uses) and the grader's `suspicion` (what reaches into the grader) have in common.
"""

import ast
import base64
import binascii
import codecs
import contextlib
import re
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

MAX_STEPS = 2_000
"""So many expressions are followed for one answer: a few lines that double each other would keep us busy for ever."""
MAX_STEPS_IN_ALL = 1_000_000
MAX_DEPTH = 60
MAX_TEXT = 100_000
_MAGIC = re.compile(r"^(\s*)((?:[\w., ]+=\s*)?)([%!].*|\?.*|[\w.]+\?+)$")
_TIMED = re.compile(r"%(?:time|timeit|prun|memit|lprun)\s+(?:-\S+\s+)*")
_RUNS_SOURCE = {"eval", "exec", "compile", "run_cell", "ex", "ev"}


_parsing = threading.Lock()


def one_at_a_time(call: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """Call what parses Python, while no other thread does so by this function.

    CPython 3.11 counts the depth of a tree for all threads together, and takes another thread's count for an error of
    its own: SystemError, "AST constructor recursion depth mismatch" (https://github.com/python/cpython/issues/106905).
    """
    with _parsing:
        for _turn in range(20):  # libraries parse as well, and do not ask for our lock
            with contextlib.suppress(SystemError):
                return call(*arguments, **more)
        return call(*arguments, **more)


def parse(source: str, mode: str = "exec") -> Any:
    """`ast.parse`, safe where several threads parse.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot read it.
    """
    return one_at_a_time(ast.parse, source, mode=mode)


def parse_cell(source: str) -> ast.Module:
    """Parse a notebook cell. IPython's magics count as `pass`; what is behind %time is parsed.

    Raises:
        SyntaxError, ValueError, RecursionError, MemoryError: Python cannot read it.
    """
    source = source.replace("\r\n", "\n")
    try:
        return parse(source)
    except SyntaxError:
        lines = source.split("\n")
        plain = [_without_magic(line, number == 0) for number, line in enumerate(lines)]
        if plain == lines:
            raise
        return parse("\n".join(plain))


def _without_magic(line: str, first: bool) -> str:
    found = _MAGIC.match(line)
    if not found or (line.startswith("%%") and not first):
        return line
    indent, target, magic = found.groups()
    timed = _TIMED.match(magic)
    if timed:
        rest = indent + target + magic[timed.end() :]
        try:
            parse(rest.strip())
            return rest
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            pass
    return f"{indent}{target}None" if target else f"{indent}pass"


def parsed(sources: Iterable[str]) -> Iterator[ast.Module]:
    """Yield the trees of all cells that Python can parse: the others did not run either."""
    for source in sources:
        try:
            yield parse_cell(source)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue


def written_module(source: str) -> str | None:
    """Return the name of the module that a cell with %%writefile writes, if it is one."""
    found = re.match(r"%%(?:writefile|file)\s+(?:-a\s+)?(?:\./)?(\w+)\.py\s*$", source.split("\n", 1)[0])
    return found[1] if found else None


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


class Reader:
    """What names stand for in some cells: imports, stored values and literal strings, all scopes taken together.

    A name that is given several values stands for each of them.
    """

    def __init__(self, trees: Sequence[ast.AST]) -> None:
        self.imports: dict[str, set[str]] = {}
        """Name → what it was imported from, dotted: ``import torch.nn as nn``, ``from torch import nn``."""
        self.values: dict[str, list[ast.expr]] = {}
        """Name → the expressions that are assigned to it."""
        self.functions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
        self._steps = 0
        self._all_steps = 0
        for tree in trees:
            self.add(tree)

    def add(self, tree: ast.AST) -> None:
        """Take note of another tree."""
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for a in node.names:
                    first = a.name.split(".")[0]
                    self.imports.setdefault(a.asname or first, set()).add(a.name if a.asname else first)
            elif isinstance(node, ast.ImportFrom):
                for a in node.names:
                    self.imports.setdefault(a.asname or a.name, set()).add(f"{node.module or ''}.{a.name}")
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign | ast.AnnAssign | ast.NamedExpr) and node.value is not None:
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    self._assigned(target, node.value)

    def _assigned(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Name):
            self.values.setdefault(target.id, []).append(value)
        elif isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List):
            for one, its in zip(target.elts, value.elts, strict=False):
                self._assigned(one, its)

    def _step(self, depth: int) -> bool:
        self._steps = self._steps + 1 if depth else 0
        self._all_steps += 1
        return depth <= MAX_DEPTH and self._steps < MAX_STEPS and self._all_steps < MAX_STEPS_IN_ALL

    # ------------------------------------------------------------ literal strings

    def texts(self, node: ast.AST, depth: int = 0) -> set[str]:
        """Return the strings that an expression of literals can stand for: "a" + "b", f"{x}", "".join([…]), names."""
        if not self._step(depth):
            return set()
        more = depth + 1
        match node:
            case ast.Constant(value=str() as text):
                return {text[:MAX_TEXT]}
            case ast.Constant(value=bytes() as data):
                return {data[:MAX_TEXT].decode("latin-1")}
            case ast.Constant(value=int() | float() as number):
                return {str(number)[:100]} if abs(number) < 1e18 else set()
            case ast.Name(id=name):
                return {t for value in self.values.get(name, [])[:8] for t in self.texts(value, more)}
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return self._joined([self.texts(left, more), self.texts(right, more)])
            case ast.BinOp(left=left, op=ast.Mod(), right=right):
                return self._formatted(left, right, more)
            case ast.JoinedStr(values=parts):
                return self._joined([self.texts(p, more) for p in parts])
            case ast.FormattedValue(value=value):
                return self.texts(value, more)
            case ast.IfExp(body=body, orelse=other):
                return self.texts(body, more) | self.texts(other, more)
            case ast.NamedExpr(value=value):
                return self.texts(value, more)
            case ast.Subscript(value=value, slice=ast.Slice() as part):
                return self._sliced(self.texts(value, more), part)
            case ast.Call():
                return self._called(node, more)
        return set()

    def _joined(self, parts: list[set[str]], between: str = "") -> set[str]:
        found = {""}
        for number, choices in enumerate(parts):
            glue = between if number else ""
            found = {old + glue + new for old in found for new in choices if len(old) + len(new) < MAX_TEXT}
            if not found or len(found) > 16 or not self._step(1):
                return set()
        return found

    def _formatted(self, left: ast.expr, right: ast.expr, depth: int) -> set[str]:
        items = right.elts if isinstance(right, ast.Tuple) else [right]
        found = set()
        for template in self.texts(left, depth):
            pieces = re.split(r"%[sd]", template)
            if len(pieces) == len(items) + 1:
                filled = [{pieces[0]}]
                for item, piece in zip(items, pieces[1:], strict=True):
                    filled += [self.texts(item, depth), {piece}]
                found |= self._joined(filled)
        return found

    @staticmethod
    def _sliced(texts: set[str], part: ast.Slice) -> set[str]:
        try:
            bounds = [None if b is None else ast.literal_eval(b) for b in (part.lower, part.upper, part.step)]
            return {text[slice(*bounds)] for text in texts}
        except (ValueError, TypeError):
            return set()

    def _called(self, node: ast.Call, depth: int) -> set[str]:
        function, arguments = node.func, node.args
        name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
        of = self.texts(function.value, depth) if isinstance(function, ast.Attribute) else set()
        if name == "join" and len(arguments) == 1:
            parts = self._items(arguments[0], depth)
            return {t for glue in of for t in self._joined(parts, glue)} if parts else set()
        if name == "format" and of:
            parts = [self.texts(a, depth) for a in arguments]
            templates = [re.split(r"\{\d?\}", t) for t in of]
            return {
                t
                for pieces in templates
                if len(pieces) == len(parts) + 1
                for t in self._joined([x for p, q in zip(pieces, [*parts, {""}], strict=True) for x in ({p}, q)])
            }
        if name == "replace" and len(arguments) == 2:
            old, new = (self.texts(a, depth) for a in arguments)
            return {t.replace(o, n)[:MAX_TEXT] for t in of for o in old if o for n in new}
        if name in ("lower", "upper", "strip", "casefold", "swapcase", "title") and not arguments:
            return {getattr(t, name)() for t in of}
        if name in ("decode", "encode", "str") and of:
            return of
        if name in ("str", "repr", "reversed", "list", "dedent") and len(arguments) == 1:
            texts = self.texts(arguments[0], depth)
            return {t[::-1] for t in texts} if name == "reversed" else texts
        if name == "chr" and len(arguments) == 1:
            return {chr(int(t)) for t in self.texts(arguments[0], depth) if t.isdigit() and int(t) < 0x110000}
        return {t for a in arguments[:1] for text in self.texts(a, depth) if (t := _decoded(name, text)) is not None}

    def _items(self, node: ast.expr, depth: int) -> list[set[str]]:
        match node:
            case ast.List(elts=items) | ast.Tuple(elts=items):
                return [self.texts(i, depth) for i in items]
            case ast.Call(
                func=ast.Name(id="map"), args=[ast.Name(id="chr"), ast.List(elts=items) | ast.Tuple(elts=items)]
            ):
                numbers = [self.texts(i, depth) for i in items]
                return [{chr(int(t)) for t in n if t.isdigit() and int(t) < 0x110000} for n in numbers]
        return [{c} for text in self.texts(node, depth) for c in text][:1000]

    # ------------------------------------------------------------ dotted names

    def dotted(self, node: ast.AST, depth: int = 0) -> set[str]:
        """Return what an expression stands for, as dotted names: ``nn.Linear`` → torch.nn.Linear.

        Follows imports, stored values, getattr, ``__dict__``, vars, sys.modules, importlib and partial.
        """
        if not self._step(depth):
            return set()
        more = depth + 1
        match node:
            case ast.Name(id=name):
                known = set(self.imports.get(name, ()))
                for value in self.values.get(name, [])[:8]:
                    known |= self.dotted(value, more)
                return known or {name}
            case ast.Attribute(value=value, attr=attr):
                bases = self.dotted(value, more) or {"?"}
                return {b if attr == "__dict__" else f"{b}.{attr}" for b in bases}
            case ast.Subscript(value=value, slice=key) if self._is_namespace(value, more):
                return self._looked_up(value, key, more)
            case ast.NamedExpr(value=value):
                return self.dotted(value, more)
            case ast.Call(func=function, args=arguments):
                return self._dotted_call(function, arguments, more)
        return set()

    def _dotted_call(self, function: ast.expr, arguments: list[ast.expr], depth: int) -> set[str]:
        found: set[str] = set()
        for made in self._made_by_calls(function):
            names = {d.rpartition(".")[2] for d in self.dotted(made.func, depth)}
            if "partial" in names and made.args:
                found |= self._dotted_call(made.args[0], [*made.args[1:], *arguments], depth + 1)
            elif names & {"attrgetter", "methodcaller"} and made.args and arguments:
                texts = self.texts(made.args[0], depth)
                found |= {f"{b}.{t}" for b in self.dotted(arguments[0], depth) for t in texts}
        for called in self.dotted(function, depth) if self._step(depth) else ():
            name = called.rpartition(".")[2]
            first = arguments[0] if arguments else None
            if name in ("getattr", "__getattribute__") and len(arguments) >= 2:
                bases = self.dotted(arguments[0], depth) or {"?"}
                found |= {f"{b}.{t}" for b in bases for t in self.texts(arguments[1], depth)}
            elif name in ("import_module", "__import__") and first is not None:
                found |= self.texts(first, depth)
            elif name == "vars" and first is not None:
                found |= self.dotted(first, depth)
            elif name in ("globals", "locals"):
                found.add("globals")
            elif isinstance(function, ast.Attribute) and first is not None:
                looks_up = name in ("get", "__getitem__", "pop") and self._is_namespace(function.value, depth)
                if looks_up or name == "__getattribute__":
                    found |= self._looked_up(function.value, first, depth)
        return found

    def _looked_up(self, namespace: ast.expr, key: ast.expr, depth: int) -> set[str]:
        bases, keys = self.dotted(namespace, depth) or {"?"}, self.texts(key, depth)
        return {k if b in ("sys.modules", "globals") else f"{b}.{k}" for b in bases for k in keys}

    def _is_namespace(self, node: ast.expr, depth: int) -> bool:
        """Whether it is the dictionary of a module or object: ``m.__dict__``, ``vars(m)``, ``globals()``."""
        match node:
            case ast.Attribute(attr="__dict__"):
                return True
            case ast.Call(func=function):
                return bool(
                    {d.rpartition(".")[2] for d in self.dotted(function, depth)} & {"vars", "globals", "locals"}
                )
            case ast.Name(id=name) if self._step(depth) and any(
                self._is_namespace(value, depth + 1) for value in self.values.get(name, [])[:8]
            ):
                return True
        return bool(self.dotted(node, depth) & {"sys.modules", "builtins", "__builtins__"})

    def _made_by_calls(self, function: ast.expr) -> list[ast.Call]:
        """The calls that have made a function: partial(…) itself, or as it was stored."""
        stored = self.values.get(function.id, [])[:8] if isinstance(function, ast.Name) else [function]
        return [value for value in stored if isinstance(value, ast.Call)]

    def literal_source(self, call: ast.Call) -> tuple[list[ast.Module], bool]:
        """Return the trees of literal source that a call runs (exec, eval, compile, run_cell), and whether some of
        what it runs is no literal."""
        names = {d.rpartition(".")[2] for d in self.dotted(call.func)}
        if not names & _RUNS_SOURCE or not call.args:
            return [], False
        texts = self.texts(call.args[0])
        return list(parsed(texts)), not texts and names <= {"eval", "exec"}


def _decoded(name: str, text: str) -> str | None:
    """What base64.b64decode, bytes.fromhex and codecs.decode (rot13) make of a literal."""
    try:
        if name in ("b64decode", "standard_b64decode", "urlsafe_b64decode"):
            return base64.b64decode(text).decode("utf-8")
        if name in ("fromhex", "unhexlify"):
            return bytes.fromhex(text).decode("utf-8")
        if name == "decode":
            return codecs.decode(text, "rot13")
        return text if name == "bytes" else None
    except (ValueError, binascii.Error):
        return None
