"""A process that has imported the lesson's libraries, and forks a supervisor for each run. No student's code runs here.

Started by `pt2e_kit.grading.warm` with a listening socket; ends when its standard input ends, so that it never
outlives the grader.
"""

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import socket
import sys
import threading
import traceback
from pathlib import Path
from typing import Any

from pt2e_kit.inside import isolate, pristine, wire
from pt2e_kit.inside.supervisor import Run

USED_BY_TESTS = {"numpy": "numpy.testing", "pandas": "pandas.testing", "torch": "torch.testing"}
"""What a test may call, and a library loads only when it is asked for: only what is there can be found changed."""


def import_all(names: list[str]) -> None:
    """Import what notebooks of the lesson import; what cannot be imported will be said where it is needed."""
    if any(name.partition(".")[0] in ("common", "torch", "torchao") for name in names):
        with contextlib.suppress(ImportError):
            from common.env import quiet

            quiet()
    for name in names:
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    for name in ("unittest.mock", *(more for library, more in USED_BY_TESTS.items() if library in sys.modules)):
        with contextlib.suppress(Exception):
            importlib.import_module(name)
    if torch := sys.modules.get("torch"):
        torch.set_num_threads(1)


def reason_not_to_fork() -> str:
    """Return why this process must not be forked, or nothing.

    A fork copies one thread only: locks that another one holds stay locked for ever. A pool of OpenMP consists of
    threads as well, so one thread in all is the proof that there is none.
    """
    tasks = Path("/proc/self/task")
    threads = len(list(tasks.iterdir())) if tasks.is_dir() else threading.active_count()
    if threads != 1:
        return f"importing the libraries has started {threads - 1} threads"
    return ""


def serve(listener: socket.socket, *, isolated: bool) -> None:
    """Accept runs until the grader goes."""
    while True:
        readers, _w, _x = select.select([listener, sys.stdin], [], [])
        _bury()
        if sys.stdin in readers:
            return
        connection, _address = listener.accept()
        if os.fork() == 0:
            try:
                listener.close()
                _run(connection, isolated=isolated)
            finally:
                os._exit(0)
        connection.close()


def _bury() -> None:
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _run(connection: socket.socket, *, isolated: bool) -> None:
    """Read the request, leave the namespaces of all others, and let process 1 of the new ones do the work."""
    try:
        request = _request(connection)
        if isolated:
            isolate.separate()
            if os.fork() != 0:
                return
            isolate.furnish(int(request["limits"]["disk_bytes"]))
            isolate.hide()
        if not request.get("trial"):
            Run(connection, request, isolated=isolated).serve()
        wire.send(connection, {"end": True})
    except Exception as error:
        with contextlib.suppress(OSError):
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}, line {last.lineno}"
            wire.send(connection, {"broken": f"{type(error).__name__}: {error} ({where})"})


def _request(connection: socket.socket) -> dict[str, Any]:
    messages = wire.Messages()
    while data := connection.recv(1 << 16):
        for request, _payload in messages.feed(data):
            return request
    raise EOFError("the connection ended before the request")


def main(handle: int, isolated: bool, names: list[str]) -> None:
    """Import, say on stdout whether this process may be forked, and serve."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the grader, which then closes our input
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    import_all(names)
    import IPython.core.interactiveshell  # noqa: F401

    reason = reason_not_to_fork()
    pristine.take()
    gc.collect()
    gc.freeze()  # what is here now is shared by all runs, as long as no collection touches it
    answers.write(json.dumps({"ready": not reason, "reason": reason}) + "\n")
    answers.close()
    if not reason:
        serve(socket.socket(fileno=handle), isolated=isolated)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2] == "isolated", sys.argv[3:])
