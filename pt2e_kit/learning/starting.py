"""A notebook of one's own from release/, and JupyterLab on it. What is there already is never touched."""

import os
import shutil
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from common.exercise.order import checkout
from common.i18n import _
from common.lessons import LESSONS, find_lesson
from pt2e_kit.course import Course

WORK = "work"
"""The folder of one's own notebooks in the course's folder; git does not look at it."""


@dataclass(frozen=True)
class Started:
    """One notebook to work in."""

    path: Path
    fresh: bool
    """False: it was there already, and is as it was."""


def course_folder(start: Path | None = None) -> Path:
    """Return the folder of the course: the one you are in, else that of this checkout.

    Raises:
        FileNotFoundError: a folder was named that is in no course, or there is no checkout either.
    """
    try:
        return Course.find(start).root
    except FileNotFoundError:
        if start is None and (checkout() / "release").is_dir():
            return checkout()
        raise


def start(course: Path, name: str, to: Path | None = None, *, again: bool = False) -> list[Started]:
    """Put the student version of a lesson (or of all lessons of a module) into a folder of one's own.

    Args:
        course: the course's folder.
        name: a lesson (``m02_2``) or a module (``m02_by_hand``).
        to: the folder; ``work/<module>`` in the course where it is not given.
        again: where a notebook is there already, put a fresh one beside it under another name.

    Raises:
        ValueError: there is no such lesson or module.
        FileNotFoundError: release/ holds no notebook of it.
    """
    found = []
    for path in released(course, name):
        folder = to or course / WORK / path.parent.name
        folder.mkdir(parents=True, exist_ok=True)
        _copy_helpers(path.parent, folder)
        found.append(_copy(path, folder, again))
    return found


def released(course: Path, name: str) -> list[Path]:
    """Return the student versions of a lesson or of all lessons of a module.

    Raises:
        ValueError: there is no such lesson or module.
        FileNotFoundError: release/ holds no notebook of it.
    """
    modules = sorted({entry.module for entry in LESSONS.values()})
    entry = None if name in modules else find_lesson(name)
    pattern = "*.ipynb" if entry is None else f"{entry.id}_*.ipynb"
    folder = course / "release" / (entry.module if entry else name)
    paths = sorted(p for p in folder.glob(pattern) if not p.name.startswith("."))
    if not paths:
        text = _("{folder} holds no notebook of {name} (an instructor makes it with `pt2e-kit release`)")
        raise FileNotFoundError(text.format(folder=folder, name=name))
    return paths


def _copy(path: Path, folder: Path, again: bool) -> Started:
    number = 1
    while True:
        target = folder / (path.name if number == 1 else f"{path.stem}-{number}.ipynb")
        try:
            _write_new(target, path.read_bytes())
        except FileExistsError:
            if not again:
                return Started(target, False)
            number += 1
        else:
            return Started(target, True)


def _write_new(target: Path, content: bytes) -> None:
    """Write a file that must not be there yet: "x" makes sure of that, whoever else is writing."""
    with target.open("xb") as file:
        try:
            file.write(content)
        except BaseException:
            target.unlink()
            raise


def _copy_helpers(source: Path, folder: Path) -> None:
    """Bring along the files that the lessons of a module import or read, where they are not there yet."""
    for path in source.rglob("*"):
        relative = path.relative_to(source)
        hidden = any(part.startswith(".") or part == "__pycache__" for part in relative.parts)
        if path.is_file() and path.suffix != ".ipynb" and not hidden and not (folder / relative).exists():
            (folder / relative).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, folder / relative)


def shown(path: Path) -> str:
    """A path as short as it can be typed from here."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def lab_command(root: Path, notebook: Path, *, browser: bool = True, port: int | None = None) -> list[str]:
    """Return the command that opens JupyterLab: its files are those in `root`, and the notebook is open."""
    opened = quote(notebook.relative_to(root).as_posix())
    command = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={root}"]
    command.append(f"--LabApp.default_url=/lab/tree/{opened}")
    if hasattr(os, "getuid") and os.getuid() == 0:
        command.append("--allow-root")  # in a container one is often root, and JupyterLab asks to be told
    if not browser:
        command.append("--no-browser")
    if port is not None:
        command.append(f"--port={port}")
    return command


def run_until_closed(command: list[str], folder: Path) -> int:
    """Run a program that the user ends; Ctrl-C is for it alone, and it ends with us. Return its exit code."""
    process = subprocess.Popen(command, cwd=folder)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # JupyterLab gets it too: it asks whether to stop, and then stops
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    try:
        return process.wait()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
