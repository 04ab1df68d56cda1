"""Process 1 of a run: gives the student's process one cell after the other, keeps limits, tells what happened.

A student's process can neither signal nor read it, and everything that runs with it ends when it ends. It holds no
verdict: what it passes on came from the student's process, and the grader takes it for no more than that.
"""

import contextlib
import os
import secrets
import select
import signal
import socket
import time
from pathlib import Path
from typing import Any

from pt2e_kit.inside import isolate, shell, wire
from pt2e_kit.inside.files import plain_files
from pt2e_kit.inside.places import HELPERS, Places

TICK = 0.05
"""Seconds between two looks at the memory and the number of processes."""


class _GraderGone(Exception):
    """Nobody is there to whom it could be told."""


class Run:
    """One request: cells that run in one process, until all have run or the process is gone."""

    def __init__(self, connection: socket.socket, request: dict[str, Any], *, isolated: bool) -> None:
        self.connection, self.request, self.isolated = connection, request, isolated
        self.limits: dict[str, Any] = request["limits"]
        self.places = Places(isolate.SCRATCH if isolated else Path(request["scratch"]))
        self.user = isolate.FIRST_UID + os.getpid() % isolate.UIDS if request.get("another_user") else None
        self.helpers = HELPERS if isolated else Path(request["helpers"])
        self.student = 0
        self.to_student = self.from_student = -1
        self.messages = wire.Messages()
        self.at, self.looked = -1, 0.0
        self.token = ""
        """A word that the report on a cell must hold: it is not enough to write into every open file."""
        self.kept, self.cut, self.reason = 0, False, ""
        self.report: dict[str, Any] = {}

    def serve(self) -> None:
        """Do the whole run; never raises for what the student's code does."""
        self.places.make(self.helpers)
        if self.user is not None:
            self.places.scratch.chmod(0o711)  # what is in it is the student's, the folder itself is not
            isolate.give_away(self.places.own, self.user)
        self._start_student()
        with contextlib.suppress(_GraderGone):
            deadline = time.monotonic() + float(self.limits["submission_seconds"])
            for at, cell in enumerate(self.request["cells"]):
                left = deadline - time.monotonic()
                if left <= 0:
                    self._tell(over=True)
                    break
                self.at = at
                if not self._cell(cell, min(float(self.limits["cell_seconds"]), left)):
                    break
            self._end_all()
            self._hand_out_evidence()
            self._tell(done=True)

    def _start_student(self) -> None:
        ours, theirs = os.pipe(), os.pipe()
        self.student = os.fork()
        if self.student == 0:
            try:
                self.connection.close()
                os.close(ours[1])
                os.close(theirs[0])
                self._become_student(ours[0], theirs[1])
            finally:
                os._exit(1)
        os.close(ours[0])
        os.close(theirs[1])
        self.to_student, self.from_student = ours[1], theirs[0]
        os.set_blocking(self.from_student, False)
        os.set_blocking(self.to_student, False)

    def _become_student(self, orders: int, reports: int) -> None:
        """From here on nothing is trusted."""
        os.setsid()
        signal.signal(signal.SIGINT, signal.default_int_handler)
        null = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(null, stream)
        os.chdir(self.places.work)
        os.environ.update(self.places.environment())
        isolate.show()
        isolate.first_to_go()
        if self.user is not None:
            isolate.become(self.user)
        if self.isolated or self.user is not None:
            isolate.surrender()
        isolate.limit(self.limits["resources"])
        shell.obey(orders, reports, self.helpers, self.places.work)

    def _cell(self, cell: dict[str, Any], seconds: float) -> bool:
        """Run one cell; return whether the process is good for the next."""
        self.kept, self.cut, self.reason, self.report = 0, False, "", {}
        self._tell(began=True)
        status = self._follow(cell, seconds)
        self._end_leftovers()
        self._tell(ended=status, reason=self.reason, report=self.report, cut=self.cut)
        return status in ("ok", "error", "timeout")

    def _follow(self, cell: dict[str, Any], seconds: float) -> str:
        """Wait for the end of a cell: "ok", "error", "timeout" (interrupted); "hung", "died" (the process is lost)."""
        self.token = secrets.token_hex(16)
        order = memoryview(wire.packed({"number": self.at, "token": self.token} | cell))
        end, interrupted = time.monotonic() + seconds, False
        while True:
            now = time.monotonic()
            if now > end:
                if interrupted:
                    return "hung"
                interrupted, end = True, now + float(self.limits["interrupt_seconds"])
                self._interrupt()
            readers, writers, _none = select.select(
                [self.from_student, self.connection],
                [self.to_student] if order else [],
                [],
                min(TICK, max(0.0, end - now)),
            )
            if self.connection in readers and not self.connection.recv(1):
                raise _GraderGone
            if writers:
                order = self._give(order)
            if self.from_student in readers and (status := self._heard()):
                return "timeout" if interrupted and status != "died" else status
            if self._reaped() or (now > self.looked + TICK and self._too_much()):
                return self._heard(last=True) or "died"

    def _give(self, order: memoryview) -> memoryview:
        try:
            return order[os.write(self.to_student, order) :]
        except BlockingIOError:
            return order
        except OSError:
            return order[:0]  # it closed its end; that it does not answer will be noticed

    def _heard(self, last: bool = False) -> str:
        """Read what came; return the status where the cell has come to its end, or the process talks nonsense."""
        status = ""
        for _turn in range(64):
            try:
                data = os.read(self.from_student, 1 << 16)
            except BlockingIOError:
                break
            except OSError:
                data = b""
            if not data:
                if not last and not status:
                    time.sleep(0.05)  # where it has died, the system says so in a moment
                    self.reason = "" if self._reaped() else "closed its connection"
                    status = "died"
                break
            try:
                for message, _payload in self.messages.feed(data):
                    if "output" in message:
                        self._pass_on(message["output"])
                    elif message.get("number") == self.at and message.get("token") == self.token:
                        status = "ok" if message.get("status") == "ok" else "error"
                        self.report = {key: message[key] for key in shell.REPORTED if key in message}
            except wire.Nonsense:
                self.reason = "talks nonsense"
                return "died"
        return status

    def _pass_on(self, output: Any) -> None:
        """Pass an output on, as long as the cell's share lasts; a little more is left for how it ended."""
        size, most = len(str(output)), int(self.limits["output_bytes"])
        before, self.kept = self.kept, self.kept + size
        if self.kept <= most:
            self._tell(output=output)
            return
        self.cut = True
        kind = output.get("output_type") if isinstance(output, dict) else None
        if kind == "error" and before <= 2 * most:
            self._tell(output=output | {"evalue": str(output.get("evalue"))[:1000], "traceback": []})
        elif before <= most and kind == "stream":
            self._tell(output=output | {"text": str(output.get("text"))[: most - before] + "\n[…]\n"})
        elif before <= most and kind is not None:
            self._tell(output=output | {"data": {"text/plain": "[output too large: left out]"}})

    def _interrupt(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.student, signal.SIGINT)

    def _reaped(self) -> bool:
        """Bury processes that have ended; return whether the student's was among them."""
        gone = False
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return True
            if pid == 0:
                return gone
            if pid == self.student:
                gone, code = True, os.waitstatus_to_exitcode(status)
                self.reason = self.reason or ("cpu" if code == -signal.SIGXCPU else f"exit code {code}")

    def _too_much(self) -> bool:
        """Whether all processes of the run together hold more memory than allowed; then they are ended."""
        self.looked = time.monotonic()
        if not self.isolated:
            return False
        total = 0
        for process in _others():
            with contextlib.suppress(OSError, ValueError, IndexError):
                status = (process / "status").read_text()
                total += sum(int(status.split(kind)[1].split()[0]) for kind in ("RssAnon:", "RssShmem:")) * 1024
        if total > int(self.limits["memory_bytes"]):
            self.reason = "memory"
            self._end_all()
            return True
        return False

    def _end_leftovers(self) -> None:
        """Where a cell has left many processes, end them: the next ones need some too."""
        if not self.isolated:
            return
        strays = [process for process in _others() if int(process.name) != self.student]
        if len(strays) > int(self.limits["resources"]["RLIMIT_NPROC"]) // 2:
            self.reason = self.reason or "processes"
            for process in strays:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(int(process.name), signal.SIGKILL)

    def _end_all(self) -> None:
        """End every process of the run but this one."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            if self.isolated and os.getpid() == 1:
                os.kill(-1, signal.SIGKILL)
            elif self.user is not None:
                isolate.end_all_of(self.user)
            elif self.student > 0:
                os.killpg(self.student, signal.SIGKILL)
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                if os.waitpid(-1, os.WNOHANG)[0] == 0:
                    time.sleep(0.005)
            except ChildProcessError:
                return

    def _hand_out_evidence(self) -> None:
        for name, data in plain_files(self.places.evidence, **self.limits["evidence"]):
            self._tell({"evidence": name, "plain": data is not None}, data or b"")

    def _tell(self, header: dict[str, Any] | None = None, payload: bytes = b"", **more: Any) -> None:
        try:
            wire.send(self.connection, {"at": self.at} | (header or {}) | more, payload)
        except OSError:
            raise _GraderGone from None


def _others() -> list[Path]:
    """The folders in /proc of all processes of the run but this one."""
    return [p for p in Path("/proc").iterdir() if p.name.isdigit() and int(p.name) != os.getpid()]
