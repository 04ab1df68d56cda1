"""Look at a student's source for what reaches into the machinery that runs it: noted for a person, never a verdict."""

import ast
from collections.abc import Iterable, Iterator, Sequence

from common.exercise.source import Reader, parsed
from common.i18n import _
from pt2e_kit.grading.notes import Note

MACHINERY = {
    "input_transformers_cleanup",
    "input_transformers_post",
    "input_transformer_manager",
    "ast_transformers",
    "ast_node_interactivity",
    "showtraceback",
    "_showtraceback",
    "set_custom_exc",
    "displayhook",
    "display_pub",
    "do_execute",
    "run_cell",
    "pre_run_cell",
    "post_run_cell",
    "pre_execute",
    "post_execute",
    "NotJudged",
    "write_piece",
    "PT2E_KIT_EVIDENCE",
    "settrace",
    "setprofile",
    "addaudithook",
    "meta_path",
    "path_hooks",
    "_getframe",
    "_current_frames",
    "currentframe",
    "f_back",
    "f_globals",
    "f_locals",
    "get_objects",
    "get_referrers",
    "get_referents",
    "__subclasses__",
    "__code__",
}
"""Names of the kernel's and the grader's parts, and of what gets hold of them from the side."""
MODULES = ("common.exercise", "common.checks", "ctypes", "atexit", "pt2e_kit")
PLACES = ("/proc/", "PT2E_KIT")
"""How a literal text begins that names a place of the grader."""
MAX_SOURCE = 1_000_000
"""So many characters are looked through: no person writes more, and looking must not take for ever."""
OPEN_MODULES = {"sys", "warnings", "logging", "matplotlib", "os", "self", "cls"}
"""Modules whose parts are there to be set: sys.stdout, warnings.showwarning, os.environ."""
SETTINGS = {"torch.backends.quantized.engine"}
"""Parts of modules that are settings: lessons go through their values, and so may answers."""
_ALWAYS = {"__eq__": True, "__ne__": False, "__lt__": True, "__le__": True, "__gt__": True, "__ge__": True}
_ALWAYS |= dict.fromkeys(("__sub__", "__rsub__", "__abs__"), False)  # near everything


def look(sources: Iterable[str]) -> list[Note]:
    """Return notes on names of the kernel's or the grader's machinery, on replaced parts of modules, on source that is
    put together before it is run, and on objects that are equal to all."""
    sources = list(sources)
    notes = []
    if sum(map(len, sources)) > MAX_SOURCE:
        text = _("there is too much source to look through ({n} characters); only short cells were looked at")
        notes.append(Note("suspicion", text.format(n=sum(map(len, sources)))))
        sources = [s for s in sources if len(s) < MAX_SOURCE // 100][:1000]
    trees = list(parsed(sources))
    reader = Reader(trees)
    for tree in trees:  # grows by literal source that is run
        if len(trees) < 100:
            trees += _literal_source(tree, reader)
    if found := {name for tree in trees for node in ast.walk(tree) for name in _machinery(node, reader)}:
        text = _("the answers reach into the machinery of kernel or grader: {names}")
        notes.append(_suspicion(text, found))
    if found := {name for tree in trees for node in ast.walk(tree) for name in _replaced(node, reader)}:
        notes.append(_suspicion(_("the answers replace parts of modules: {names}"), found))
    if any(_runs_made_up_source(node, reader) for tree in trees for node in ast.walk(tree)):
        notes.append(
            Note("suspicion", _("the answers run source that is put together only while they run (exec, eval)"))
        )
    if any(_is_always_equal(node, reader) for tree in trees for node in ast.walk(tree)):
        notes.append(Note("suspicion", _("the answers define an object that is equal to everything")))
    return notes


def _suspicion(text: str, names: set[str]) -> Note:
    shown = sorted(names)[:20]
    return Note("suspicion", text.format(names=", ".join(n[:60] for n in shown)))


def _literal_source(tree: ast.AST, reader: Reader) -> list[ast.Module]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    found = [tree for call in calls for tree in reader.literal_source(call)[0]]
    for new in found:
        reader.add(new)
    return found


def _runs_made_up_source(node: ast.AST, reader: Reader) -> bool:
    return isinstance(node, ast.Call) and reader.literal_source(node)[1]


# ---------------------------------------------------------------- machinery


def _machinery(node: ast.AST, reader: Reader) -> Iterator[str]:
    for name in _names(node, reader):
        if name in MACHINERY:
            yield name
        for module in MODULES:
            if name == module or name.startswith(module + "."):
                yield module
    for text in _texts(node, reader):
        yield from (place for place in PLACES if text.startswith(place) and text not in MACHINERY)


def _names(node: ast.AST, reader: Reader) -> Iterable[str]:
    match node:
        case ast.Attribute(attr=attr):
            return [attr, *reader.dotted(node)]
        case ast.Name(id=name):
            return [name]
        case ast.Import(names=names):
            return [a.name for a in names]
        case ast.ImportFrom(module=module, names=names):
            return [*(f"{module}.{a.name}" for a in names), *(a.name for a in names)]
        case ast.Call() | ast.Subscript():
            dotted = reader.dotted(node)
            return [*dotted, *(d.rpartition(".")[2] for d in dotted)]
        case ast.Constant(value=str() as text):
            return [text]
    return []


def _texts(node: ast.AST, reader: Reader) -> Iterable[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [node.value]
    return reader.texts(node) if isinstance(node, ast.BinOp | ast.JoinedStr | ast.Call) else []


# ---------------------------------------------------------------- replaced parts of modules


def _replaced(node: ast.AST, reader: Reader) -> Iterator[str]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _replaced_target(target, value, reader)
        case ast.Delete(targets=targets):
            for target in targets:
                yield from _replaced_target(target, None, reader)
        case ast.Call(func=function, args=[owner, name, value]) if "setattr" in _last(function, reader):
            for base in reader.dotted(owner):
                yield from _told(base, reader.texts(name), value, reader)
        case ast.Call(func=function, args=[what, *_more]) if "patch" in _last(function, reader):
            yield from (text for text in reader.texts(what) if _is_module(text, reader))


def _last(function: ast.expr, reader: Reader) -> set[str]:
    return {d.rpartition(".")[2] for d in reader.dotted(function)}


def _replaced_target(target: ast.expr, value: ast.expr | None, reader: Reader) -> Iterator[str]:
    if isinstance(target, ast.Attribute):
        for base in reader.dotted(target.value):
            yield from _told(base, {target.attr}, value, reader)
    elif isinstance(target, ast.Subscript):
        keys = reader.texts(target.slice)
        for base in reader.dotted(target.value):
            if base == "sys.modules":
                yield from (f"sys.modules[{key!r}]" for key in sorted(keys) or ["…"])
            elif base in ("builtins", "__builtins__") or _is_dict(target.value, reader):
                yield from _told(base, keys, value, reader)


def _is_dict(node: ast.expr, reader: Reader) -> bool:
    """Whether it is the dictionary of a module: ``torch.__dict__``, ``vars(torch)``."""
    if isinstance(node, ast.Attribute):
        return node.attr == "__dict__"
    return isinstance(node, ast.Call) and "vars" in _last(node.func, reader)


def _told(base: str, names: Iterable[str], value: ast.expr | None, reader: Reader) -> Iterator[str]:
    if base in ("builtins", "__builtins__"):
        yield from (f"builtins.{name}" for name in names)
    elif _is_module(base, reader) and not _is_plain(value):
        yield from (f"{base}.{name}" for name in names if f"{base}.{name}" not in SETTINGS)


def _is_module(dotted: str, reader: Reader) -> bool:
    root = dotted.partition(".")[0]
    imported = {origin.partition(".")[0] for found in reader.imports.values() for origin in found}
    return root not in OPEN_MODULES and (root in imported or root in ("common", "torch", "torchao"))


def _is_plain(value: ast.expr | None) -> bool:
    """Whether a setting is set (``torch.backends.quantized.engine = "x86"``), not a part replaced."""
    if value is None:
        return False
    try:
        ast.literal_eval(value)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


# ---------------------------------------------------------------- objects that are equal to all


def _is_always_equal(node: ast.AST, reader: Reader) -> bool:
    match node:
        case ast.FunctionDef(name=name):
            return name in _ALWAYS and _says_always(node, _ALWAYS[name], reader)
        case ast.Assign(targets=targets, value=value):
            names = [getattr(t, "id", getattr(t, "attr", "")) for t in targets]
            return any(n in _ALWAYS and _says_always(value, _ALWAYS[n], reader) for n in names)
        case ast.Dict(keys=keys, values=values):
            pairs = [(n, v) for k, v in zip(keys, values, strict=True) if k is not None for n in reader.texts(k)]
            return any(n in _ALWAYS and _says_always(v, _ALWAYS[n], reader) for n, v in pairs)
        case ast.keyword(arg=str() as name, value=value):  # type("E", (), dict(__eq__=…))
            return name in _ALWAYS and _says_always(value, _ALWAYS[name], reader)
        case ast.Call(func=function, args=[_owner, name, value]) if "setattr" in _last(function, reader):
            return any(n in _ALWAYS and _says_always(value, _ALWAYS[n], reader) for n in reader.texts(name))
        case ast.Attribute() | ast.Name():
            return "unittest.mock.ANY" in reader.dotted(node)
    return False


def _says_always(node: ast.AST, wanted: bool, reader: Reader) -> bool:
    """Whether a function gives the same truth on every way out."""
    if isinstance(node, ast.Name):
        return any(_says_always(f, wanted, reader) for f in reader.functions.get(node.id, [])) or any(
            _says_always(v, wanted, reader) for v in reader.values.get(node.id, []) if isinstance(v, ast.Lambda)
        )
    if isinstance(node, ast.Lambda):
        return _truth(node.body) is wanted
    if not isinstance(node, ast.FunctionDef):
        return False
    given = [_truth(n.value) for n in ast.walk(node) if isinstance(n, ast.Return)]
    return bool(given) and all(truth is wanted for truth in given)


def _truth(node: ast.expr | None) -> bool | None:
    """The truth of a literal: True, 1, not False, bool(1); None where it is not known."""
    match node:
        case ast.Constant(value=value):
            return bool(value)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            truth = _truth(operand)
            return None if truth is None else not truth
        case ast.Call(func=ast.Name(id="bool"), args=[argument]):
            return _truth(argument)
    return None


__all__: Sequence[str] = ["look"]
