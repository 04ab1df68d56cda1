"""Limits and defaults of grading, in one place."""

import contextlib
import os
import secrets
import tempfile
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path


@dataclass(frozen=True)
class Limits:
    """What one submission may use. Seconds are wall-clock seconds."""

    cell_seconds: float = 30
    """One cell; then it is interrupted, and what it had defined counts."""
    submission_seconds: float = 300
    """All cells of one notebook."""
    interrupt_seconds: float = 5
    """How long a cell may take to stop after an interrupt, before its process is replaced."""
    replacements: int = 3
    """How often a kernel that died or hung is replaced and the earlier cells run again."""
    cpu_seconds: int = 600
    memory_bytes: int = 6 * 2**30
    processes: int = 256
    open_files: int = 1024
    file_bytes: int = 256 * 2**20
    disk_bytes: int = 512 * 2**20
    """All files of one submission together; they lie in memory."""
    output_bytes: int = 200_000
    """Kept output of one cell; the rest is cut."""
    notebook_bytes: int = 50 * 2**20
    """A larger file is not read."""
    judge_seconds: float = 60
    judge_memory_bytes: int = 8 * 2**30


DEFAULT_LIMITS = Limits()


def default_seed_file() -> Path:
    """Where the class seed is kept: in the user's data folder, outside of every checkout."""
    return user_data_path("pt2e-kit") / "class-seed"


def _make_class_seed(path: Path) -> None:
    """Put a seed there whole, for the owner only, unless another grader has done so meanwhile."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, part = tempfile.mkstemp(prefix=path.name, dir=path.parent)  # mkstemp: mode 0600
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            file.write(secrets.token_hex(32) + "\n")
        with contextlib.suppress(FileExistsError):
            os.link(part, path)  # unlike a rename, this never takes the place of a seed that is there
    finally:
        Path(part).unlink()


def read_class_seed(path: Path | None = None) -> str:
    """Return the class seed, 64 hex digits, and make one where there is none yet.

    Hidden cases derive their seeds from it, so keep the file: with another seed a second grading uses other data.
    """
    path = path or default_seed_file()
    if not path.exists():
        _make_class_seed(path)
    seed = path.read_text(encoding="ascii", errors="replace").strip()
    if len(seed) < 16:
        raise ValueError(f"{path} holds no class seed (16 characters or more): delete it to have a new one made")
    return seed
