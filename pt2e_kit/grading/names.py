"""Which notebook of an assignment the name of a file means."""

import re
import unicodedata
from collections.abc import Iterable

NOTEBOOK = re.compile(r"\.ipynb([ _-]*(\(\d+\)|\d+))?(\.(txt|json))?$", re.IGNORECASE)
"""Some browsers and mail programs save a notebook as p1.ipynb.txt, p1.ipynb.json or p1.ipynb (1)."""

_COPY = re.compile(
    r"(的)?(副本|复制|複製)|の?コピー|복사본|사본|копия|kopyası|kopie|kopia|kopi|copie|copia|cópia|copy", re.IGNORECASE
)


def meant_by(file_name: str, wanted: Iterable[str]) -> list[str]:
    """Return the names (without .ipynb) of `wanted` that a notebook's file name may mean, mostly one or none.

    "p1 (1)", "p1-final", "s01_p1", "Copy of p1", "p1副本", "P 1" mean "p1"; "p12" does not. The very name beats
    one of the same letters, which beats a part of the file's name; of two parts the longer one counts where it holds
    the other ("hw_extra" and "hw").
    """
    stem = _normal(NOTEBOOK.sub("", file_name))
    ranks = {name: _rank(stem, _normal(name)) for name in wanted}
    best = max(ranks.values(), default=0)
    found = [name for name, rank in ranks.items() if rank == best > 0]
    return [n for n in found if not any(n != o and _normal(n) in _normal(o) for o in found)]


def _rank(stem: str, name: str) -> int:
    if stem == name:
        return 3
    if _letters(stem) == _letters(name):
        return 2
    return int(_holds(stem, name) or _holds(_COPY.sub(" ", stem), name))


def _normal(text: str) -> str:
    """One form for what looks the same: composed letters (macOS decomposes them), small, no wide forms."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


def _letters(text: str) -> str:
    return "".join(c for c in text if c.isalnum())


def _holds(stem: str, name: str) -> bool:
    """Whether the name stands in the stem as a word of its own."""
    for found in re.finditer(re.escape(name), stem):
        before, after = stem[: found.start()][-1:], stem[found.end() :][:1]
        if not _one_word(before, name[:1]) and not _one_word(name[-1:], after):
            return True
    return False


def _one_word(left: str, right: str) -> bool:
    """Whether two letters side by side belong to one word: Latin letters and digits do, "1" and "副" do not."""
    return left.isalnum() and right.isalnum() and _is_latin(left) == _is_latin(right)


def _is_latin(letter: str) -> bool:
    return letter.isascii() or unicodedata.name(letter, "").startswith("LATIN")
