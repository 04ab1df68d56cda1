"""Runs commands of the kit in tests, and makes temporary copies of the checkout."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PARTS = ("common", "pt2e_kit", "source", "release", "solutions", "demo", "docs", "tests", "tools", "submitted")
FILES = (
    "nbgrader_config.py",
    "pyproject.toml",
    "requirements.lock",
    "requirements-backends.lock",
    "Makefile",
    "README.md",
)
NOT_COPIED = ("__pycache__", ".ipynb_checkpoints", "cases")


DATA = tempfile.mkdtemp(prefix="pt2e-tests-")
"""The user's data folder during the tests: the class seed is made in it, and never in the checkout."""


class Done(NamedTuple):
    """What a command that ran in this process left."""

    code: int
    out: str
    err: str


def environment(**more: str) -> dict[str, str]:
    """This environment, with our programs first on the path and the class seed in a folder of its own."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    ours = {k: v for k, v in os.environ.items() if k not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")}  # `make test` runs us
    return {**ours, "PATH": path, "XDG_DATA_HOME": DATA, "COLUMNS": "200", **more}


def run(command: list[str], folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a folder; its output is kept, and nothing is read from the terminal."""
    return subprocess.run(
        command,
        cwd=folder,
        env=environment(**more),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def kit(*arguments: str, folder: Path = ROOT, **more: str) -> subprocess.CompletedProcess[str]:
    """Run `pt2e-kit` with these arguments."""
    return run([sys.executable, "-m", "pt2e_kit", *arguments], folder, **more)


def copy_checkout(to: Path, parts: tuple[str, ...] = PARTS, files: tuple[str, ...] = FILES) -> Path:
    """Copy parts of the checkout; work of a student or grader that lies in it stays behind."""
    to.mkdir(parents=True, exist_ok=True)
    for part in parts:
        if part == "submitted":
            (to / part).mkdir()
        else:
            shutil.copytree(ROOT / part, to / part, ignore=shutil.ignore_patterns(*NOT_COPIED))
    for file in files:
        shutil.copyfile(ROOT / file, to / file)
    return to


def tree(folder: Path) -> dict[str, bytes]:
    """All files below a folder with what they hold."""
    files = (p for p in folder.rglob("*") if p.is_file() and ".ipynb_checkpoints" not in p.parts)
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in files}
