"""Find the notebooks of an assignment in what was handed in. Nothing is followed out of the folder."""

import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from common.i18n import _
from pt2e_kit.grading.notes import CannotGrade, Note

MAX_DEPTH = 4
MAX_ENTRIES = 5000
_NOTEBOOK = re.compile(r"\.ipynb(\.(txt|json))?$", re.IGNORECASE)
"""Some browsers and mail programs save a notebook as p1.ipynb.txt or p1.ipynb.json."""
IGNORED_FOLDERS = {".ipynb_checkpoints", "__pycache__", ".git", "__MACOSX", ".venv", "venv", "node_modules"}


@dataclass
class Found:
    """What stands for one notebook of the assignment."""

    name: str
    data: bytes | None = None
    problem: CannotGrade | None = None
    notes: list[Note] = field(default_factory=list)


def collect(folder: Path, wanted: list[str], max_bytes: int) -> list[Found]:
    """Return, for each notebook name in `wanted` (without .ipynb), its bytes or why there are none.

    A notebook may be renamed ("p1 (1).ipynb", "s01_p1.ipynb") or lie in a folder further down. Two files that
    could both be meant are ambiguous: nobody guesses. Links, pipes and other special files are noted, not read.
    """
    files, notes = _files(folder)
    claimed = {name: _candidates(name, files, wanted) for name in wanted}
    unclaimed = [f for f in files if not any(f in c for c in claimed.values())]
    if len(wanted) == 1 and not claimed[wanted[0]] and len(unclaimed) == 1:
        claimed[wanted[0]] = unclaimed  # one notebook wanted, one handed in: its name does not matter
    found = []
    for name in wanted:
        entry = Found(name, notes=list(notes) if name == wanted[0] else [])
        _fill(entry, folder, claimed[name], max_bytes, bool(notes))
        found.append(entry)
    return found


def _fill(entry: Found, folder: Path, files: list[Path], max_bytes: int, special: bool) -> None:
    if not files:
        cause = _("no notebook {name}.ipynb was handed in").format(name=entry.name)
        if special:
            cause += " " + _("(links and special files are not followed)")
        entry.problem = CannotGrade("missing", cause)
        return
    if len(files) > 1:
        names = ", ".join(sorted(shown(f.relative_to(folder)) for f in files))
        cause = _("more than one file could be {name}.ipynb: {names}").format(name=entry.name, names=names)
        entry.problem = CannotGrade("ambiguous", cause)
        return
    (path,) = files
    relative = path.relative_to(folder)
    if relative.name != f"{entry.name}.ipynb":
        entry.notes.append(Note("repair", _("the file was renamed: {name}").format(name=shown(relative))))
    elif len(relative.parts) > 1:
        entry.notes.append(
            Note("repair", _("the file was in a folder further down: {name}").format(name=shown(relative)))
        )
    try:
        entry.data = read_plain_file(path, max_bytes)
    except OSError as error:
        cause = _("{name} cannot be read: {e}").format(name=shown(relative), e=error.strerror or error)
        entry.problem = CannotGrade("unreadable", cause)


def shown(path: Path) -> str:
    """Return a file name from a submission so that it is safe to print."""
    return re.sub(r"[^\w .,()+@=/-]", "?", str(path))[:120]


def read_plain_file(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file; never follows a link, waits for a pipe, or reads more than `max_bytes`.

    Raises:
        OSError: it is something else, too large, or not readable.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    info = os.fstat(handle)
    if not stat.S_ISREG(info.st_mode) or info.st_size > max_bytes:
        os.close(handle)
        raise OSError(0, _("it is not a plain file, or larger than {n} MiB").format(n=max_bytes // 2**20))
    with os.fdopen(handle, "rb") as file:
        return file.read(max_bytes + 1)


def _files(folder: Path) -> tuple[list[Path], list[Note]]:
    notebooks: list[Path] = []
    notes: list[Note] = []
    for number, entry in enumerate(_walk(folder, 0)):
        if number >= MAX_ENTRIES:
            notes.append(
                Note("limit", _("there are more than {n} files; the rest was not looked at").format(n=MAX_ENTRIES))
            )
            break
        notebook = bool(_NOTEBOOK.search(entry.name))
        if entry.is_symlink():
            text = _("a link was not followed: {name}").format(name=shown(Path(entry.name)))
            notes.append(Note("suspicion", text))
        elif notebook and not entry.name.startswith("."):
            if entry.is_file(follow_symlinks=False):
                notebooks.append(Path(entry.path))
            else:
                notes.append(Note("suspicion", _("{name} is not a plain file").format(name=shown(Path(entry.name)))))
    return notebooks, notes


def _walk(folder: Path, depth: int) -> Iterator["os.DirEntry[str]"]:
    try:
        entries = sorted(os.scandir(folder), key=lambda e: e.name)
    except OSError:
        return
    for entry in entries:
        if entry.is_dir(follow_symlinks=False):
            if depth < MAX_DEPTH and entry.name not in IGNORED_FOLDERS:
                yield from _walk(Path(entry.path), depth + 1)
        else:
            yield entry


def _candidates(name: str, files: list[Path], wanted: list[str]) -> list[Path]:
    """The files that could be notebook `name`: one of that very name in the top folder does not win over others."""
    others = [w for w in wanted if w != name]
    return [
        f
        for f in files
        if _looks_like(_stem(f), name) and not any(_looks_like(_stem(f), o) and len(o) > len(name) for o in others)
    ]


def _stem(file: Path) -> str:
    return _NOTEBOOK.sub("", file.name)


def _plain(text: str) -> str:
    return re.sub(r"[^0-9a-z]+", "", text.casefold())


def _looks_like(stem: str, name: str) -> bool:
    """ "p1 (1)", "p1-final", "s01_p1", "Copy of p1", "p1-Copy1" look like "p1"; "p12" does not."""
    if stem == name:
        return True
    stem_plain = stem.casefold()
    pattern = r"(?<![0-9a-z])" + re.escape(name.casefold()) + r"(?![0-9a-z])"
    return bool(re.search(pattern, stem_plain)) or _plain(stem) == _plain(name)
