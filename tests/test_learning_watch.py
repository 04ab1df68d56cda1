"""`watch`: a check on every save, keys, and no terminal where there is none."""

import os
import pty
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import Done
from test_learning_check import checked, verdict

from pt2e_kit.learning import watching
from pt2e_kit.learning.watching import Watcher

FIRST, SECOND = "m02_2.insert_after", "m02_2.observer_from_spec"


class Desk:
    """A notebook, somebody who presses keys and saves, and a check that gives what the test wants."""

    def __init__(self, folder: Path, *outcomes: object) -> None:
        self.path = folder / "mine.ipynb"
        self.path.write_text("0")
        self.outcomes, self.said, self.saves = list(outcomes), list[str](), 0

    def check(self, _course: Path, _path: Path, *, hidden: bool) -> object:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Exception):
            raise outcome
        return outcome

    def save(self) -> None:
        self.saves += 1
        self.path.write_text("x" * self.saves)

    def watch(self, *events: str | Callable[[], object] | None, interactive: bool = True) -> str:
        """Run through the events: a key, None (nothing happens), or something to do, and quit at their end."""
        left = list(events)

        def key(_seconds: float) -> str | None:
            event = left.pop(0) if left else "q"
            if callable(event):
                event()
                return None
            return event

        watcher = Watcher(
            self.path.parent, self.path, say=self.said.append, key=key, interactive=interactive, check=self.check
        )
        watcher.run()
        return "\n".join(self.said)


def half() -> object:
    return checked(verdict(FIRST, why="because"), verdict(SECOND, misconception="stub"))


def test_it_checks_at_once_and_after_each_save(tmp_path: Path) -> None:
    desk = Desk(tmp_path, half(), checked(verdict(FIRST, passed=True), verdict(SECOND, misconception="stub")))
    told = desk.watch(None, None, desk.save, None, None, None)
    assert not desk.outcomes
    assert told.count("checking mine.ipynb") == 2
    assert "It is wrong." in told
    assert f"Well done: {FIRST} is solved now." in told
    assert f"Next: {SECOND}" in told


def test_a_file_that_is_being_written_is_left_alone(tmp_path: Path) -> None:
    desk = Desk(tmp_path, half())
    desk.watch(desk.save, desk.save, desk.save)
    assert desk.saves == 3 and not desk.outcomes, "a check more would have found no outcome"


def test_a_file_that_is_gone_for_a_moment(tmp_path: Path) -> None:
    desk = Desk(tmp_path, half(), half())
    told = desk.watch(desk.path.unlink, None, None, desk.save, None, None)
    assert told.count("checking") == 2


def test_an_error_ends_nothing_but_the_first_does(tmp_path: Path) -> None:
    desk = Desk(tmp_path, half(), ValueError("mine.ipynb: it is cut off"), half())
    told = desk.watch(desk.save, None, None, desk.save, None, None)
    assert "this could not be checked: mine.ipynb: it is cut off" in told
    assert not desk.outcomes
    with pytest.raises(ValueError, match="no exercise"):
        Desk(tmp_path, ValueError("no exercise")).watch()


def test_keys(tmp_path: Path) -> None:
    desk = Desk(tmp_path, half(), half())
    told = desk.watch("h", "h", "h", "h", "w", "l", "r", "x")
    assert not desk.outcomes, "r runs it again"
    for number in (1, 2, 3):
        assert f"{FIRST}, hint {number} of 3" in told
    assert "These are all the hints:" in told
    assert "Why: because" in told
    assert "exercises solved. Next: " in told
    assert told.count("keys: h hint") == 3, "after each check, and for a key that means nothing"


def test_keys_when_everything_is_solved(tmp_path: Path) -> None:
    desk = Desk(tmp_path, checked(verdict(FIRST, passed=True)))
    assert desk.watch("h", "w").count("every exercise of this notebook is solved") == 2


def test_without_a_terminal_no_keys_are_offered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "keys:" not in Desk(tmp_path, half()).watch(interactive=False)
    with (tmp_path / "empty").open("w+") as file:
        monkeypatch.setattr(sys, "stdin", file)
        with watching.keyboard() as key:
            assert key is watching.no_key and key(0) is None


def test_keys_of_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    import termios

    ours, theirs = pty.openpty()
    with os.fdopen(theirs) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before = termios.tcgetattr(theirs)
        with watching.keyboard() as key:
            assert key(0) is None
            for typed, read in ((b"H", "h"), (b"\x1b[A", "?"), (b"\n", "\n")):
                os.write(ours, typed)
                assert key(5) == read
        assert termios.tcgetattr(theirs) == before, "the terminal is as it was"
    os.close(ours)


def test_ctrl_c_ends_it_quietly(call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def stop(_watcher: Watcher) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Watcher, "run", stop)
    monkeypatch.setattr(sys, "stdin", (tmp_path / "empty").open("w+"))
    done = call("watch", "mine.ipynb")
    assert (done.code, done.out, done.err) == (0, "", "")
