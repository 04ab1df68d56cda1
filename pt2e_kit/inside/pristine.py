"""What libraries, built-ins and the course's helper files were before any student's code ran, and putting it back.

A plain test runs in a process forked from the student's (see `plain_test`): there, whatever an answer has replaced or
changed is put back first.
"""

import contextlib
import sys
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from pt2e_kit.inside import untouched

Changed = list[str]

GUARDED = ("builtins", "math", "cmath", "operator", "unittest", "numpy", "pandas", "torch", "torchao", "common", "json")
"""Libraries in which whatever was replaced is put back; elsewhere only what a notebook's own code stands in."""
_FUNCTIONS = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    type,
)
_METHODS = (*_FUNCTIONS, staticmethod, classmethod, property)


class Body(NamedTuple):
    """What a function does: it can be changed without putting another function in its place."""

    function: Any  # a types.FunctionType, which a checker of types takes for a method here
    code: types.CodeType
    defaults: tuple[Any, ...] | None
    keywords: dict[str, Any] | None
    its_keywords: dict[str, Any] | None
    """The function's own dict, of which `keywords` is a copy: it can be changed in place, and must not be freed."""
    closure: tuple[Any, ...]

    @classmethod
    def of(cls, function: types.FunctionType) -> "Body":
        """Take a function as it is."""
        closure = tuple(_content(cell) for cell in function.__closure__ or ())
        keywords = function.__kwdefaults__
        return cls(function, function.__code__, function.__defaults__, keywords and dict(keywords), keywords, closure)

    def restore(self) -> Changed:
        """Put back what was changed; return the function's name if its code was changed, or a notebook put in a value."""
        function, named = self.function, False
        guarded = str(function.__module__).partition(".")[0] in GUARDED
        if function.__code__ is not self.code and (guarded or _from_notebook(function)):
            function.__code__, named = self.code, True
        if guarded:
            function.__defaults__ = self.defaults
            function.__kwdefaults__ = self.keywords and dict(self.keywords)
        for cell, was in zip(function.__closure__ or (), self.closure, strict=True):
            if (now := _content(cell)) is not was and was is not _NONE and _from_notebook(now):
                cell.cell_contents, named = was, True
        return [f"{function.__module__}.{function.__qualname__}"] if named else []


class Snapshot:
    """What libraries and built-ins looked like before any student's code ran."""

    def __init__(self) -> None:
        self.modules = {
            name: module for name, module in list(sys.modules.items()) if isinstance(module, types.ModuleType)
        }
        self.functions: dict[str, dict[str, Any]] = {}
        self.classes: dict[type, dict[str, Any]] = {}
        for name, module in self.modules.items():
            kept = {key: value for key, value in list(vars(module).items()) if isinstance(value, _FUNCTIONS)}
            self.functions[name] = kept
            for value in kept.values():
                if isinstance(value, type) and value.__flags__ & (1 << 9) and value not in self.classes:  # not built in
                    self.classes[value] = dict(vars(value))
        attributes = [*self.functions.values(), *self.classes.values()]
        values = {id(f): f for found in attributes for f in map(_function_of, found.values()) if f is not None}
        self.bodies = [Body.of(function) for function in values.values()]
        self.meta_path, self.path_hooks = list(sys.meta_path), list(sys.path_hooks)
        self._watch()

    def _watch(self) -> None:
        """Note where memory tells that a module, a class or a function has changed."""
        self._owners: list[tuple[Any, ...]] = []
        self._words = None
        if not untouched.can_read():
            return
        addresses: list[int] = []
        for restore, owner in self._everything():
            if isinstance(owner, Body):
                found = untouched.addresses_of_fields(owner.function)
            else:
                kept = self.modules[owner] if isinstance(owner, str) else owner
                found = [untouched.address_of_version(kept)]
            addresses += found
            self._owners += [(restore, owner)] * len(found)
        self._words = untouched.Words(addresses)

    def _everything(self) -> Iterator[tuple[Callable[[Any], Changed], Any]]:
        yield self._restore_modules, sys.modules
        for name in self.modules:
            yield self._restore_module, name
        for kind in self.classes:
            yield self._restore_class, kind
        for body in self.bodies:
            yield Body.restore, body

    def restore(self) -> Changed:
        """Put back what was replaced; return the names of what a notebook's code had taken the place of."""
        found = self._everything() if self._words is None else [self._owners[i] for i in self._words.changed()]
        changed = [name for restore, owner in found for name in restore(owner)]
        sys.meta_path[:], sys.path_hooks[:] = self.meta_path, self.path_hooks
        return sorted(set(changed))

    def _restore_modules(self, _all: dict[str, Any]) -> Changed:
        changed: Changed = []
        for name, module in self.modules.items():
            if sys.modules.get(name) is not module and name != "__main__":
                if name in sys.modules:
                    changed.append(name)
                sys.modules[name] = module
        return changed

    def _restore_module(self, name: str) -> Changed:
        changed: Changed = []
        guarded = name.partition(".")[0] in GUARDED
        now = vars(self.modules[name])
        for key, value in self.functions[name].items():
            if now.get(key, _NONE) is not value and (guarded or _from_notebook(now.get(key))):
                if _from_notebook(now.get(key)):
                    changed.append(f"{name}.{key}")
                now[key] = value
        return changed

    def _restore_class(self, kind: type) -> Changed:
        was, now, changed = self.classes[kind], dict(vars(kind)), []
        guarded = str(kind.__module__).partition(".")[0] in GUARDED
        for key in (*was, *(key for key in now if key not in was)):
            value, before = now.get(key, _NONE), was.get(key, _NONE)
            if value is before:
                continue
            from_notebook = _from_notebook(value)
            if not from_notebook and not (guarded and isinstance(before, _METHODS)):
                continue
            if from_notebook:
                changed.append(f"{kind.__module__}.{kind.__qualname__}.{key}")
            with contextlib.suppress(TypeError, AttributeError):
                if before is _NONE:
                    type.__delattr__(kind, key)
                else:
                    type.__setattr__(kind, key, before)
        return changed


_NONE = object()
_snapshot: Snapshot | None = None


def take() -> None:
    """Remember the libraries as they are; called once, before anything is forked."""
    global _snapshot
    _snapshot = Snapshot()


class Helpers:
    """The course's own helper files: what a plain test imports comes from where no answer can write."""

    def __init__(self, helpers: Path, work: Path) -> None:
        self.helpers, self.work = helpers, work
        self.path = [str(work), *(entry for entry in sys.path if entry != str(work))]

    def restore(self) -> Changed:
        """Put the folder of the unchanged files first, and forget helpers that are not as they were; return their names."""
        changed = [name for name in self._names() if name in sys.modules and not self._is_unchanged(name)]
        for name in changed:
            for inner in [m for m in sys.modules if m == name or m.startswith(name + ".")]:
                del sys.modules[inner]
        more = [entry for entry in sys.path if entry not in self.path]
        sys.path[:] = [str(self.helpers), *self.path, *more]
        self.cache, sys.path_importer_cache = sys.path_importer_cache, {}  # kept: to free it touches memory all over
        return changed

    def _names(self) -> Iterator[str]:
        for entry in sorted(self.helpers.iterdir()):
            if entry.suffix == ".py" or entry.is_dir():
                yield entry.stem

    def _is_unchanged(self, name: str) -> bool:
        """Whether a module was read from a file that is as the course has it, and nothing in it is a notebook's."""
        module = sys.modules[name]
        try:
            where = Path(str(vars(module).get("__file__"))).relative_to(self.work)
            files = [where] if len(where.parts) == 1 else [f.relative_to(self.helpers) for f in self._files(name)]
            same = all((self.work / f).read_bytes() == (self.helpers / f).read_bytes() for f in files)
        except (OSError, ValueError, TypeError):
            return False
        return same and not any(_from_notebook(value) for value in list(vars(module).values()))

    def _files(self, name: str) -> list[Path]:
        return list((self.helpers / name).rglob("*.py"))


_helpers: Helpers | None = None


def take_helpers(helpers: Path, work: Path) -> None:
    """Remember where the course's helper files are: unchanged, and the copy that the notebook works with."""
    global _helpers
    _helpers = Helpers(helpers, work)


def restore() -> Changed:
    """Put back what was replaced; return the names of what a notebook's code had taken the place of."""
    changed = _snapshot.restore() if _snapshot else []
    return changed + (_helpers.restore() if _helpers else [])


def accept(module: types.ModuleType, name: str) -> None:
    """Take a function of a module as it is now for what it is to be."""
    if _snapshot is not None and module.__name__ in _snapshot.functions:
        _snapshot.functions[module.__name__][name] = getattr(module, name)


def _content(cell: Any) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # empty
        return _NONE


def _function_of(value: Any) -> types.FunctionType | None:
    """The Python function behind a module's or a class's attribute."""
    value = value.fget if type(value) is property else value
    value = value.__func__ if type(value) in (staticmethod, classmethod) else value
    return value if type(value) is types.FunctionType else None


def _from_notebook(value: Any) -> bool:
    """Whether an object was defined in a notebook's cell, or is no function or class at all where one was."""
    value = getattr(value, "func", value)  # functools.partial
    value = getattr(value, "fget", None) or getattr(value, "__func__", value)  # property, staticmethod, classmethod
    code = getattr(value, "__code__", None)
    if isinstance(code, types.CodeType):
        return code.co_filename.startswith("<") and "ipython" in code.co_filename
    if isinstance(value, type):
        return value.__module__ == "__main__"
    return type(value).__module__ in ("__main__", "unittest.mock")
