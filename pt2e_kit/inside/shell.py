"""IPython in the student's process: runs cells, and reports what they show. Nothing it says is a verdict."""

import builtins
import getpass
import io
import os
import sys
import threading
import time
from pathlib import Path
from typing import Any

from IPython.core.displayhook import DisplayHook
from IPython.core.displaypub import DisplayPublisher
from IPython.core.error import StdinNotImplementedError
from IPython.core.interactiveshell import InteractiveShell
from traitlets import Any as AnyTrait
from traitlets import Type
from traitlets.config import Config

from pt2e_kit.inside import plain_test, pristine, wire

REPORTED = ("score", "changed", "hidden", "died")
"""What the report on a test cell holds besides its status; see `plain_test.run_test`."""
FLUSH_BYTES, FLUSH_SECONDS = 8192, 0.2


class Reports:
    """The way to the supervisor. Processes that the student's code forks have no voice of their own."""

    def __init__(self, handle: int) -> None:
        self._handle, self._lock = handle, threading.Lock()
        self.owner = os.getpid()

    def send(self, header: dict[str, Any]) -> None:
        """Send a message whole."""
        if os.getpid() != self.owner:
            return
        try:
            data = memoryview(wire.packed(header))
        except (TypeError, ValueError):  # outputs hold whatever a student's objects return
            return
        with self._lock:
            while data:
                data = data[os.write(self._handle, data) :]

    def output(self, kind: str, **content: Any) -> None:
        """Report an output of the running cell, as notebooks hold it."""
        self.send({"output": {"output_type": kind} | content})


class Stream(io.TextIOBase):
    """What `print` writes to. Text is kept for a moment: a message for every few characters would take too long."""

    def __init__(self, name: str, reports: Reports) -> None:
        self.name = name
        self._reports, self._kept, self._size, self._sent = reports, [], 0, time.monotonic()

    encoding = "utf-8"  # type: ignore[assignment]
    errors = "replace"  # type: ignore[assignment]

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """Where programs that are started write to: nowhere."""
        return 1 if self.name == "stdout" else 2

    def write(self, text: str, /) -> int:
        """Keep the text, and send it on when there is enough."""
        if not isinstance(text, str):
            raise TypeError(f"write() argument must be str, not {type(text).__name__}")
        self._kept.append(text)
        self._size += len(text)
        if self._size > FLUSH_BYTES or time.monotonic() - self._sent > FLUSH_SECONDS:
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is kept."""
        kept, self._kept, self._size, self._sent = self._kept, [], 0, time.monotonic()
        text = "".join(kept)
        if text:
            text = text.encode("utf-8", "replace").decode("utf-8")
            self._reports.output("stream", name=self.name, text=text)


def flush() -> None:
    """Send what was printed, so that it stands before what comes next."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name, None)  # an answer may have deleted it
        if isinstance(stream, Stream):
            stream.flush()


class _Publisher(DisplayPublisher):
    reports = AnyTrait()

    def publish(
        self,
        data: Any,
        metadata: Any = None,
        source: Any = None,
        *,
        transient: Any = None,
        update: bool = False,
        **_more: Any,
    ) -> None:
        flush()
        kind = "update_display_data" if update else "display_data"
        self.reports.output(kind, data=data, metadata=metadata or {}, transient=transient or {})

    def clear_output(self, wait: bool = False) -> None:
        flush()


class _Hook(DisplayHook):
    reports = AnyTrait()

    def write_output_prompt(self) -> None:
        flush()

    def write_format_data(self, format_dict: Any, md_dict: Any = None) -> None:
        self.reports.output("execute_result", data=format_dict, metadata=md_dict or {})

    def finish_displayhook(self) -> None:
        flush()


class ZMQInteractiveShell(InteractiveShell):
    """IPython as notebooks have it; under the name by which rich, tqdm and others know that they are in a notebook."""

    displayhook_class = Type(_Hook)
    display_pub_class = Type(_Publisher)
    reports = AnyTrait()
    streams: tuple[Stream, ...] = ()

    def _showtraceback(self, etype: Any, evalue: Any, stb: Any) -> None:
        flush()
        self.reports.output(
            "error",
            ename=_text(getattr(etype, "__name__", etype)),
            evalue=_text(evalue),
            traceback=list(map(_text, stb)),
        )

    def enable_gui(self, gui: Any = None) -> None:
        """There is no window here."""

    def ask_exit(self) -> None:
        """exit() ends the cell, not the process."""

    system = InteractiveShell.system_piped


def _text(value: Any) -> str:
    try:
        return str(value)
    except Exception:  # a student's exception may have a broken __str__
        return "?"


def _nobody_there(prompt: object = "", *_rest: Any) -> str:
    raise StdinNotImplementedError("nobody is there to answer input(): this notebook is graded")


def _leave(*_arguments: object) -> None:
    raise SystemExit("exit() ends the cell here, not the kernel")


def new_shell(reports: Reports) -> ZMQInteractiveShell:
    """Put IPython into this process."""
    config = Config()
    config.HistoryManager.enabled = False  # it would write a database, with a thread of its own
    config.IPKernelApp.pt2e_kit = "some libraries look for this section to know that they are in a notebook"
    shell: Any = ZMQInteractiveShell.instance(config=config)
    shell.reports = shell.display_pub.reports = shell.displayhook.reports = reports
    shell.streams = sys.stdout, sys.stderr = Stream("stdout", reports), Stream("stderr", reports)
    builtins.input = getpass.getpass = _nobody_there
    pristine.accept(builtins, "input")
    pristine.accept(getpass, "getpass")
    shell.user_ns.update(exit=_leave, quit=_leave)
    return shell


def obey(orders: int, handle: int, helpers: Path, work: Path) -> None:
    """Run cells as they are ordered, until no more orders come."""
    sys.path.insert(0, str(work))
    pristine.take_helpers(helpers, work)
    sys.argv = [""]
    reports = Reports(handle)
    shell = new_shell(reports)
    incoming = wire.Messages()
    while True:
        try:
            data = os.read(orders, 1 << 16)
            if not data:
                return
            for order, _payload in incoming.feed(data):
                _obey_one(shell, reports, order)
        except KeyboardInterrupt:
            continue  # it came when the cell was done already


def _obey_one(shell: Any, reports: Reports, order: dict[str, Any]) -> None:
    report: dict[str, Any] = {"status": "error"}
    for stream in shell.streams:  # a cell may have left something that nothing can be written to
        if not hasattr(getattr(sys, stream.name, None), "flush"):
            setattr(sys, stream.name, stream)
    try:
        if order["kind"] == "test":
            report = plain_test.run_test(shell, reports, order)
        else:
            report["status"] = "ok" if shell.run_cell(order["source"], store_history=True).success else "error"
    except KeyboardInterrupt:
        reports.output("error", ename="KeyboardInterrupt", evalue="", traceback=["KeyboardInterrupt"])
    finally:
        flush()
        reports.send({"token": order["token"]} | report | {"number": order["number"]})
