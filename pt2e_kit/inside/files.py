"""Read files out of a folder that a student's code could write to: nothing is followed, and no more than may be."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

GONE, FLOOD = "/gone", "/flood"
"""In the place of a file's name, which never holds a slash: the folder is gone; there is more than is read."""


def plain_files(
    folder: Path, *, max_files: int, max_bytes: int, max_file_bytes: int
) -> Iterator[tuple[str, bytes | None]]:
    """Yield name and content of the regular files in a folder, sorted by name; None where something is no plain file.

    Links are not followed, the folder itself included. Of a file at most one byte more than `max_file_bytes` is read.
    """
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
    except OSError:
        yield GONE, None
        return
    try:
        with os.scandir(handle) as entries:
            names = sorted(entry.name for entry in entries)
        for number, name in enumerate(names):
            if number >= max_files or max_bytes <= 0:
                yield FLOOD, None
                return
            data = _content(handle, name, max_file_bytes)
            max_bytes -= len(data or b"")
            yield name.encode("utf-8", "backslashreplace").decode(), data
    finally:
        os.close(handle)


def _content(folder: int, name: str, most: int) -> bytes | None:
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(most + 1)
