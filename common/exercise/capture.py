"""Grading mode: try an answer on public and hidden cases, and leave the evidence in the grader's folder.

Runs in the student's process, so nothing here decides anything. Each case runs in a process forked at its
cell: an endless loop or a crash costs that case, and objects of a hidden case never reach later cells.
"""

import os
import signal
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from common.exercise.base import Case, Exercise, NotJudged
from common.exercise.evidence import Piece, envelope, write_piece
from common.exercise.registry import find_exercise

FOLDER_VARIABLE = "PT2E_KIT_EVIDENCE"
CASE_SECONDS = 10.0
EXERCISE_SECONDS = 25.0
"""All cases of one exercise together: less than the limit of its cell, so that the cell can still report."""


def evidence(exercise_id: str, cases: Sequence[Mapping[str, Any]] = ()) -> None:
    """Record evidence on the public cases of an exercise and on `cases` (plain literals).

    Always ends with NotJudged: only a judge outside this process gives points.
    """
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder is None:
        raise NotJudged(
            f"{exercise_id} is graded by `pt2e-kit grade`; preview it with `pt2e-kit check NOTEBOOK --hidden`"
        )
    exercise = find_exercise(exercise_id)
    deadline = time.monotonic() + EXERCISE_SECONDS
    for case in (*exercise.public_cases, *(Case(**c) for c in cases)):
        seconds = max(0.5, min(CASE_SECONDS, deadline - time.monotonic()))
        if _record(Path(folder), exercise, case, seconds) == "timeout":
            break  # points need every case, so the time for the others is better spent elsewhere
    raise NotJudged(f"{exercise_id}: evidence is recorded, a judge has still to look at it")


def _record(folder: Path, exercise: Exercise, case: Case, seconds: float) -> str:
    """Record one case; return "done", "timeout" or "died"."""
    from common.exercise.notebook import try_answer

    if not hasattr(os, "fork"):
        write_piece(folder, exercise.id, case.digest, try_answer(exercise, case))
        return "done"
    child = os.fork()
    if child == 0:
        code = 1
        try:
            os.setsid()
            _silence()
            write_piece(folder, exercise.id, case.digest, try_answer(exercise, case))
            code = 0
        finally:
            os._exit(code)
    status = _wait(child, seconds)
    if status != "done":
        write_piece(folder, exercise.id, case.digest, Piece(envelope(exercise.id, case.digest, status)))
    return status


def _silence() -> None:
    quiet = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(quiet, stream)


def _wait(child: int, seconds: float) -> str:
    deadline = time.monotonic() + seconds
    pause = 0.002
    try:
        while time.monotonic() < deadline:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return "done" if os.waitstatus_to_exitcode(status) == 0 else "died"
            time.sleep(pause)
            pause = min(pause * 1.5, 0.05)
        return "timeout"
    finally:
        _end(child)


def _end(child: int) -> None:
    """Stop what the case left behind: its whole process group."""
    try:
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
    except (ProcessLookupError, ChildProcessError, PermissionError):
        pass
