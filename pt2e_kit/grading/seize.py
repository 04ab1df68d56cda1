"""Take evidence out of the folders that a student's code could write to, before anything else looks at it."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

from common.exercise.evidence import MAX_CASE_BYTES, MAX_PIECES, MAX_SUBMISSION_BYTES
from common.i18n import _
from pt2e_kit.grading.collect import shown
from pt2e_kit.grading.notes import Note

_PARTS = (".json", ".safetensors")


def seize(folders: Iterable[Path], target: Path) -> list[Note]:
    """Copy the pieces of evidence into `target`, a new folder; return notes on what is no evidence.

    Links are not followed, the folders themselves included; pipes, folders and foreign files are left where they are.
    """
    target.mkdir(parents=True)
    notes: list[Note] = []
    left = 2 * MAX_SUBMISSION_BYTES
    for kernel, folder in enumerate(folders):
        try:
            handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:
            notes.append(Note("suspicion", _("the folder for evidence was removed or replaced")))
            continue
        try:
            with os.scandir(handle) as entries:
                names = sorted(entry.name for entry in entries)
            for number, name in enumerate(names):
                if number >= 2 * MAX_PIECES or left <= 0:
                    notes.append(Note("suspicion", _("there is far too much evidence; the rest was not read")))
                    break
                data = _content(handle, name) if name.endswith(_PARTS) else None
                if data is not None:
                    left -= len(data)
                    (target / f"{kernel}-{name}").write_bytes(data)
                elif not name.endswith(".part"):  # those were cut off while they were written
                    text = _("a file among the evidence is not ours: {name}").format(name=shown(Path(name)))
                    notes.append(Note("suspicion", text))
        finally:
            os.close(handle)
    return notes


def _content(folder: int, name: str) -> bytes | None:
    """The bytes of a regular file, at most one more than a case may have; None: it is something else."""
    try:
        handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    with os.fdopen(handle, "rb") as file:
        return file.read(MAX_CASE_BYTES + 1)
