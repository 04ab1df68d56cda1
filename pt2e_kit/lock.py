"""One grader at a time: two would write the same gradebook."""

import contextlib
import getpass
import json
import os
import socket
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from filelock import FileLock, Timeout

from common.i18n import _
from pt2e_kit.grading.temporary import sweep


@contextlib.contextmanager
def only_grader(folder: Path, what: str) -> Iterator[None]:
    """Hold the lock of a course, which lies in `folder`; a grader that was killed holds it no longer.

    Raises:
        RuntimeError: somebody else holds it; the message says who, where, since when and for what.
    """
    folder.mkdir(exist_ok=True)
    note = folder / ".grading.json"
    try:
        with FileLock(folder / ".grading.lock", timeout=0):
            mine = {"user": _user(), "host": socket.gethostname(), "pid": os.getpid(), "what": what}
            note.write_text(json.dumps(mine | {"since": datetime.now().astimezone().isoformat(timespec="seconds")}))
            sweep()
            try:
                yield
            finally:
                note.unlink(missing_ok=True)
    except Timeout:
        text = _("this course is being graded right now: {who}. Wait until that is done")
        raise RuntimeError(text.format(who=_holder(note))) from None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a user number without a name
        return str(os.getuid()) if hasattr(os, "getuid") else "?"


def _holder(note: Path) -> str:
    try:
        told = json.loads(note.read_text())
        text = _("{what}, by {user} on {host}, process {pid}, since {since}")
        return text.format(**{key: str(told[key]) for key in ("what", "user", "host", "pid", "since")})
    except (OSError, ValueError, KeyError, TypeError):
        return _("another process (it has not said which)")
