"""The judge's own process: loads torch once, and forks for each submission. Student code never runs here.

Talks in lines of JSON on stdin and stdout; see `pt2e_kit.grading.judge`, which starts it.
"""

import json
import os
import resource
import select
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from common.env import quiet
from common.exercise import find_exercise
from common.exercise.judging import judge_exercise, read_evidence, suspicious_pieces


def judge(request: dict[str, Any]) -> dict[str, Any]:
    """Judge all exercises of one notebook: ``{"verdicts": {grade_id: verdict}, "notes": [...]}``."""
    store = read_evidence(Path(request["evidence"]))
    verdicts = {
        e["grade_id"]: judge_exercise(find_exercise(e["exercise_id"]), e["cases"], store, request["sources"])
        for e in request["exercises"]
    }
    notes = suspicious_pieces({e["exercise_id"]: e["cases"] for e in request["exercises"]}, store)
    return {"verdicts": verdicts, "notes": notes}


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    """Judge in a forked child with limits on time and memory."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)
        code = 1
        try:
            memory = int(request["memory_bytes"])
            resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
            try:
                reply = judge(request)
            except BaseException:
                reply = {"error": traceback.format_exc(limit=-6)}
            with os.fdopen(write_end, "wb") as pipe:
                pipe.write(json.dumps(reply).encode())
            code = 0
        finally:
            os._exit(code)
    os.close(write_end)
    data, end = b"", time.monotonic() + float(request["seconds"])
    with os.fdopen(read_end, "rb", buffering=0) as pipe:
        while select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
            chunk = pipe.read(1 << 16)
            if not chunk:
                break
            data += chunk
        else:
            os.kill(child, signal.SIGKILL)
            data = json.dumps({"error": f"the judge did not end within {request['seconds']:g} s"}).encode()
    os.waitpid(child, 0)
    return json.loads(data) if data else {"error": "the judge's process died (out of memory?)"}


def main() -> None:
    """Answer requests until stdin ends."""
    replies = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # whatever prints must not get between the lines of JSON
    quiet()
    for line in sys.stdin:
        replies.write(json.dumps(_answer(json.loads(line))) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
