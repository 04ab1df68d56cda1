"""What a result rests on, as digests: by these a result is known to be new, or of something older."""

import hashlib
import inspect
import os
import stat
from collections.abc import Iterable
from pathlib import Path

from common.exercise import Exercise
from common.exercise.source import one_at_a_time

IGNORED = {".ipynb_checkpoints", "__pycache__"}
MAX_BYTES = 64 * 2**20
"""Of a larger file, size and time of change stand for its content."""


def of_submission(folder: Path) -> str:
    """Digest of what was handed in: names and contents, timestamp.txt included. Links are not followed."""
    return _digest(folder)


def of_source(folder: Path, exercises: Iterable[Exercise]) -> str:
    """Digest of what it is graded by: the assignment's notebooks and helper files, and its exercises' own code."""
    code = [one_at_a_time(inspect.getsource, type(e)) for e in sorted(exercises, key=lambda e: e.id)]
    return hashlib.sha256("\0".join([_digest(folder), *code]).encode("utf-8", "surrogateescape")).hexdigest()


def of_seed(class_seed: str) -> str:
    """Sixteen hex digits that tell class seeds apart without giving one away."""
    return hashlib.sha256(b"pt2e-kit class seed\0" + class_seed.encode()).hexdigest()[:16]


def _digest(folder: Path) -> str:
    digest = hashlib.sha256()
    for base, folders, names in os.walk(folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name not in IGNORED)
        for name in sorted([*names, *(f for f in folders if Path(base, f).is_symlink())]):
            path = Path(base, name)
            digest.update(os.fsencode(path.relative_to(folder)) + b"\0" + _content(path) + b"\0")
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    try:
        info = path.lstat()
        if stat.S_ISLNK(info.st_mode):
            return b"link " + os.fsencode(path.readlink())
        if not stat.S_ISREG(info.st_mode):
            return b"special"
        if info.st_size > MAX_BYTES:
            return f"{info.st_size} {info.st_mtime_ns}".encode()
        return hashlib.sha256(path.read_bytes()).digest()
    except OSError as error:
        return f"unreadable {error.errno}".encode()
