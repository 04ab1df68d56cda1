"""Hand evidence to the judge's process and get verdicts back."""

import atexit
import json
import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.grading.notes import CannotGrade
from pt2e_kit.notebooks import ExerciseCell
from pt2e_kit.settings import Limits


class _JudgeProcess:
    """One process for all threads of this one; started at its first use, because loading torch takes seconds."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._owner = os.getpid()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        with self._lock:
            process = self._running()
            assert process.stdin is not None and process.stdout is not None
            try:
                process.stdin.write(json.dumps(request) + "\n")
                process.stdin.flush()
                line = process.stdout.readline()
            except OSError:
                line = ""
            if not line:
                self._process = None
                return {"error": _("the judge's process ended by itself")}
            return json.loads(line)

    def _running(self) -> subprocess.Popen[str]:
        if self._owner != os.getpid():  # forked: the parent's judge is not ours
            self._process, self._owner = None, os.getpid()
        if self._process is None or self._process.poll() is not None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "pt2e_kit.grading.judge_child"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
                env=os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
            )
            atexit.register(self.close)
        return self._process

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and self._owner == os.getpid():
            assert process.stdin is not None
            process.stdin.close()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


_process = _JudgeProcess()


def judge_exercises(
    exercises: Sequence[ExerciseCell], sources: Sequence[str], evidence: Path, limits: Limits
) -> tuple[dict[str, dict[str, Any]], list[dict[str, str]]]:
    """Return the verdicts by grade id, and notes.

    Raises:
        CannotGrade: the judge failed (state `failed`): our side, never a 0.
    """
    if not exercises:
        return {}, []
    reply = _process.ask(
        {
            "evidence": str(evidence),
            "exercises": [{"grade_id": e.grade_id, "exercise_id": e.exercise_id, "cases": e.cases} for e in exercises],
            "sources": list(sources),
            "seconds": limits.judge_seconds,
            "memory_bytes": limits.judge_memory_bytes,
        }
    )
    if "error" in reply:
        raise CannotGrade("failed", _("the judge failed: {e}").format(e=str(reply["error"]).strip()))
    return reply["verdicts"], reply["notes"]
