"""Check a notebook on every save, and answer to single keys. Without a terminal it only prints."""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from common.exercise.overview import closing_line
from common.i18n import _
from pt2e_kit.learning import telling
from pt2e_kit.learning.checking import Checked, check_notebook, record_all, solution_of

POLL_SECONDS = 0.3
Key = Callable[[float], str | None]
"""Waits for a key, no longer than so many seconds; None: none was pressed."""
Stamp = tuple[int, int, int] | None


class Watcher:
    """One notebook that is watched. `say` prints a line, `key` waits for a key; both are given, so that tests can."""

    def __init__(
        self,
        course: Path,
        path: Path,
        *,
        hidden: bool = False,
        say: Callable[[str], None] = print,
        key: Key,
        interactive: bool = True,
        check: Callable[..., Checked] = check_notebook,
    ) -> None:
        self.course, self.path, self.hidden = course, path, hidden
        self.say, self.key, self.check, self.interactive = say, key, check, interactive
        self.checked: Checked | None = None
        self._seen: Stamp = None
        self._settling: Stamp = None
        self._hints: dict[str, int] = {}

    def run(self) -> None:
        """Check now and after each save, until somebody presses q or Ctrl-C.

        Raises:
            OSError, ValueError: the notebook cannot be read, or is none of this course, at the first try.
        """
        self._seen = _stamp(self.path)
        self._check()
        while True:
            pressed = self.key(POLL_SECONDS)
            if pressed == "q":
                return
            if pressed:
                self._pressed(pressed)
            elif self._saved():
                self._try()

    def _saved(self) -> bool:
        """Whether the file is another one than at the last check, and has been left alone since the last look."""
        now = _stamp(self.path)
        settled = now is not None and now == self._settling
        self._settling = now if now != self._seen else None
        if now == self._seen or not settled:
            return False
        self._seen, self._settling = now, None
        return True

    def _try(self) -> None:
        """Check; what cannot be read or run now can perhaps after the next save."""
        try:
            self._check()
        except (OSError, ValueError, RuntimeError) as error:
            self.say(_("this could not be checked: {error}").format(error=error))
            self._say_keys()

    def _check(self) -> None:
        self.say("")
        self.say(_("{time}: checking {name} …").format(time=time.strftime("%H:%M:%S"), name=self.path.name))
        before = self.checked.verdicts if self.checked else []
        self.checked = self.check(self.course, self.path, hidden=self.hidden)
        record_all(self.checked, before)
        self._tell(before)

    def _tell(self, before: Sequence[dict[str, Any]]) -> None:
        assert self.checked is not None
        passed = {v["id"] for v in before if v["passed"]}
        new = [v["id"] for v in self.checked.verdicts if v["passed"] and v["id"] not in passed] if before else []
        lines = telling.overview(self.checked)
        to_do = self.checked.to_do()
        if to_do is not None and not telling.is_no_try(to_do):
            lines += ["", *telling.findings(to_do)]
        lines.append("")
        lines += [_("Well done: {id} is solved now.").format(id=i) for i in new]
        solution = solution_of(self.course, self.checked.lesson)
        lines += telling.closing(self.checked, solution)
        self._say_all(lines)
        self._say_keys()

    def _pressed(self, key: str) -> None:
        to_do = self.checked.to_do() if self.checked else None
        if key == "r":
            self._try()
        elif key == "l" and self.checked is not None:
            self._say_all([*telling.overview(self.checked), closing_line()])
        elif key == "h" and to_do is not None:
            self._hints[to_do["id"]] = count = self._hints.get(to_do["id"], 0) + 1
            shown = telling.hints(to_do["id"], count)
            self._say_all(shown[-1:] if count <= len(shown) else [_("These are all the hints:"), *shown])
        elif key == "w" and to_do is not None:
            self._say_all(telling.findings(to_do, why=True))
        elif key in "hw":
            self.say(_("every exercise of this notebook is solved"))
        else:
            self._say_keys()

    def _say_all(self, lines: Sequence[str]) -> None:
        for line in lines:
            self.say(line)

    def _say_keys(self) -> None:
        if self.interactive:
            self.say(_("keys: h hint, w why, r run again, l list, q quit; saving the notebook checks it"))


def _stamp(path: Path) -> Stamp:
    """What changes with every save; None while the file is not there."""
    try:
        info = path.stat()
    except OSError:
        return None
    return info.st_mtime_ns, info.st_size, info.st_ino


def no_key(seconds: float) -> None:
    """Wait: there is no keyboard."""
    time.sleep(seconds)


@contextmanager
def keyboard() -> Iterator[Key]:
    """Single keys of the terminal, without Enter, and not shown; where stdin is no terminal, there are none."""
    if not sys.stdin or not sys.stdin.isatty():
        yield no_key
        return
    if sys.platform == "win32":
        yield _windows_key
        return
    import termios
    import tty

    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield _terminal_key
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)


def _terminal_key(seconds: float) -> str | None:
    import os
    import select

    handle = sys.stdin.fileno()
    ready, _writable, _broken = select.select([handle], [], [], seconds)
    if not ready:
        return None
    pressed = os.read(handle, 32).decode(errors="replace")
    if not pressed:  # the terminal is gone
        return "q"
    return "?" if pressed.startswith("\x1b") else pressed[0].lower()  # an arrow key is one press, of several characters


def _windows_key(seconds: float) -> str | None:
    if sys.platform != "win32":
        return None
    import msvcrt

    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if msvcrt.kbhit():
            return msvcrt.getwch().lower()
        time.sleep(0.05)
    return None
