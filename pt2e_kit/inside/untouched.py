"""Which of many objects have changed: read from memory, without touching them.

Looking at an object the usual way counts a reference to it, and in a forked process that copies the page it lies in:
to look through all of torch costs more than most tests. So what is looked at here are words of memory where CPython
keeps what changes with an object: the version tag of a dict (PEP 509), and the fields of a function. Where this
Python is built in another way, `address_of_version` and `addresses_of_fields` say so, and everything counts as changed.
"""

import ctypes
import functools
import gc
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

_WORD = ctypes.sizeof(ctypes.c_void_p)
_VERSION = 3 * _WORD
"""Where a dict keeps its version tag: behind its head (two words) and the number of its items."""
_DICT_OF_TYPE = 264
"""Where a class keeps its dict (``tp_dict``), in bytes, on 64-bit machines."""
_FIELDS = {
    name: (6 + i) * _WORD for i, name in enumerate(("__code__", "__defaults__", "__kwdefaults__", "__closure__"))
}
"""Where a function keeps what it does."""
_CELL = 2 * _WORD
"""Where a cell of a closure keeps what is in it."""


def _word(address: int) -> int:
    return ctypes.c_uint64.from_address(address).value


@functools.cache
def can_read() -> bool:
    """Whether this Python lies in memory as this module expects; tried on objects made for it."""
    if _WORD != 8:
        return False
    try:
        return _dicts_have_versions() and _classes_have_dicts() and _functions_have_fields()
    except (TypeError, ValueError, AttributeError):
        return False


def _dicts_have_versions() -> bool:
    tried = {"a": object(), "b": 1}
    seen = [_word(id(tried) + _VERSION)]
    for key, value in (("a", object()), ("c", 1), ("a", 5)):
        tried[key] = value
        seen.append(_word(id(tried) + _VERSION))
    del tried["b"]
    seen.append(_word(id(tried) + _VERSION))
    list(tried.items())  # a look changes nothing
    return len(set(seen)) == len(seen) and _word(id(tried) + _VERSION) == seen[-1]


def _classes_have_dicts() -> bool:
    class Tried:
        one = 1

    found = _word(id(Tried) + _DICT_OF_TYPE)
    if found not in (id(held) for held in gc.get_referents(Tried) if type(held) is dict):
        return False
    before = _word(found + _VERSION)
    Tried.one = 2
    return _word(found + _VERSION) != before


def _functions_have_fields() -> bool:
    kept = object()

    def tried(a=kept, *, b=kept):
        return kept

    (cell,) = tried.__closure__ or (None,)
    same = all(_word(id(tried) + offset) == id(getattr(tried, name)) for name, offset in _FIELDS.items())
    return same and _word(id(cell) + _CELL) == id(kept)


def address_of_version(owner: types.ModuleType | type | dict[str, Any]) -> int:
    """Where the version tag of a dict lies, or of a module's or a class's; it changes with each change of the dict."""
    if isinstance(owner, type):
        return _word(id(owner) + _DICT_OF_TYPE) + _VERSION
    return id(owner if isinstance(owner, dict) else vars(owner)) + _VERSION


def addresses_of_fields(function: types.FunctionType) -> list[int]:
    """Where a function's code, default values, and the contents of its closure are pointed at."""
    found = [id(function) + offset for offset in _FIELDS.values()]
    found += [id(cell) + _CELL for cell in function.__closure__ or ()]
    if function.__kwdefaults__:
        found.append(id(function.__kwdefaults__) + _VERSION)
    return found


class Words:
    """Words of memory as they were; the objects they lie in must outlive it."""

    def __init__(self, addresses: Sequence[int]) -> None:
        array = np.array(addresses, dtype=np.int64)
        base = int(array.min()) if len(array) else 0
        length = (int(array.max()) - base) // 8 + 1 if len(array) else 0
        # All of memory from the lowest address to the highest, of which only the words asked for are ever read.
        self._memory = np.ctypeslib.as_array((ctypes.c_uint64 * length).from_address(base)) if length else array
        self._places = (array - base) // 8
        self._were = self._memory[self._places]

    def changed(self) -> list[int]:
        """The positions, among the addresses given, of the words that are not as they were."""
        return np.flatnonzero(self._memory[self._places] != self._were).tolist()
