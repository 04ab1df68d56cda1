"""Run cells in processes forked from one that has imported the lesson's libraries already.

The grader's side: starts a zygote (`pt2e_kit.inside.zygote`) in the sandbox at first use, one for each set of
libraries and helper files, and asks it for runs.
"""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.grading.sandbox import copy_helpers, zygote_command, zygote_environment
from pt2e_kit.grading.temporary import new_folder
from pt2e_kit.inside import wire

START_SECONDS = 120.0
MAX_ZYGOTES = 2


class NotWarm(Exception):
    """There is no warm process here; the message says why. Cells have to run in a process that starts cold."""


class Zygote:
    """One warm process."""

    def __init__(self, source: Path, libraries: list[str], *, isolated: bool) -> None:
        self.isolated = isolated
        self.owner = os.getpid()
        self.users = 0
        """How many have borrowed it just now; see `borrowed`."""
        self.connections: set[socket.socket] = set()
        self.folder = new_folder()
        self.helpers = self.folder / "helpers"
        self.helpers.mkdir()
        copy_helpers(source, self.helpers)
        if not isolated:
            self.folder.chmod(0o711)
        for path in (self.helpers, *self.helpers.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)  # who reads them is another user than the one who copies
        self.socket = self.folder / "socket"
        try:
            self.process = self._started(libraries)
            self._try()
        except BaseException:
            self.close()
            raise

    def _started(self, libraries: list[str]) -> "subprocess.Popen[str]":
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind(str(self.socket))
            listener.listen(64)
            handle = listener.fileno()
            command = zygote_command(handle, libraries, self.helpers, isolated=self.isolated)
            process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,  # held open: its end is the sign that we are gone, however that came
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                pass_fds=(handle,),
                env=zygote_environment(isolated=self.isolated),
                start_new_session=True,  # Ctrl-C is for us alone
            )
        assert process.stdout is not None
        self.process = process
        line = _line_within(process, START_SECONDS)
        said = json.loads(line) if line else {"ready": False, "reason": _("it did not start")}
        if not said["ready"]:
            raise NotWarm(str(said["reason"]))
        return process

    def _try(self) -> None:
        """Let it separate one process from all others, to see that the system allows it.

        Raises:
            NotWarm: it does not.
        """
        for header, _payload in self.run({"trial": True, "limits": {"disk_bytes": 2**20}}, 30):
            if "broken" in header:
                raise NotWarm(str(header["broken"]))
            if "end" in header:
                return
        raise NotWarm(_("a process could not be separated from the others"))

    def run(self, request: dict[str, Any], seconds: float) -> Iterator[wire.Message]:
        """Yield what a run reports; ends with it, or after this many seconds."""
        end = time.monotonic() + seconds
        with socket.socket(socket.AF_UNIX) as connection:
            connection.settimeout(30)
            connection.connect(str(self.socket))
            self.connections.add(connection)
            yield from self._reports(connection, request, end)

    def _reports(self, connection: socket.socket, request: dict[str, Any], end: float) -> Iterator[wire.Message]:
        messages = wire.Messages()
        try:
            wire.send(connection, request)
            while (left := end - time.monotonic()) > 0:
                connection.settimeout(left)
                try:
                    data = connection.recv(1 << 18)
                except TimeoutError:
                    return
                if not data:
                    return
                yield from messages.feed(data)
        finally:
            self.connections.discard(connection)

    def alive(self) -> bool:
        """Whether it can be used from here."""
        return self.owner == os.getpid() and self.process.poll() is None

    def close(self) -> None:
        """End it and all runs in it."""
        process = getattr(self, "process", None)
        if self.owner != os.getpid():
            return
        for connection in list(self.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # process 1 of that run ends, and all its processes with it
        if process is not None:
            with contextlib.suppress(OSError):
                process.stdin.close()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait(10)
            process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _line_within(process: "subprocess.Popen[str]", seconds: float) -> str:
    """The first line that it says, or nothing."""
    assert process.stdout is not None
    timer = threading.Timer(seconds, process.kill)
    timer.daemon = True
    timer.start()
    try:
        return process.stdout.readline()
    finally:
        timer.cancel()


_lock = threading.Lock()
_zygotes: dict[str, Zygote] = {}
_refused: dict[str, str] = {}


@contextlib.contextmanager
def borrowed(source: Path, libraries: list[str], *, isolated: bool) -> Iterator[Zygote]:
    """The warm process for these libraries and the helper files in `source`; started where there is none.

    It is not ended in favour of another one as long as somebody has borrowed it.

    Raises:
        NotWarm: it cannot be had on this machine.
    """
    process = _zygote(source, libraries, isolated=isolated)
    try:
        yield process
    finally:
        with _lock:
            process.users -= 1
            _end_idle()


def start(source: Path, libraries: list[str], *, isolated: bool) -> None:
    """Start the warm process, so that it is there when it is borrowed; where there can be none, that is told then."""
    with contextlib.suppress(NotWarm), borrowed(source, libraries, isolated=isolated):
        pass


def _zygote(source: Path, libraries: list[str], *, isolated: bool) -> Zygote:
    key = _key(source, libraries, isolated)
    with _lock:
        if key in _refused:
            raise NotWarm(_refused[key])
        found = _zygotes.pop(key, None)
        if found is None or not found.alive():
            if found is not None:
                found.close()
            found = _new(key, source, libraries, isolated)
        _zygotes[key] = found  # the one used last stands last
        found.users += 1
        _end_idle()
        return found


def _end_idle() -> None:
    """End those that nobody uses, the one used longest ago first, until no more than MAX_ZYGOTES are left."""
    for key in [k for k, process in _zygotes.items() if not process.users][: max(0, len(_zygotes) - MAX_ZYGOTES)]:
        _zygotes.pop(key).close()


def _new(key: str, source: Path, libraries: list[str], isolated: bool) -> Zygote:
    if not hasattr(os, "fork"):
        raise NotWarm(_("this system cannot fork"))
    try:
        return Zygote(source, libraries, isolated=isolated)
    except NotWarm as reason:
        _refused[key] = str(reason)
        raise
    except OSError as error:
        _refused[key] = str(error)
        raise NotWarm(str(error)) from error


def _key(source: Path, libraries: list[str], isolated: bool) -> str:
    digest = hashlib.sha256(json.dumps([os.getpid(), libraries, isolated]).encode())
    for path in sorted(source.rglob("*")):
        if path.is_file() and path.suffix != ".ipynb":
            info = path.stat()
            digest.update(f"{path}\0{info.st_size}\0{info.st_mtime_ns}\0".encode("utf-8", "surrogateescape"))
    return digest.hexdigest()


@atexit.register
def close_all() -> None:
    """End all warm processes."""
    with _lock:
        while _zygotes:
            _zygotes.popitem()[1].close()
