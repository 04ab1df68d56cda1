"""Source of cells is parsed the same way whatever else this process is doing."""

import gc
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from common.exercise import source

TEXT = Path(source.__file__).read_text(encoding="utf-8")


class _Freed:
    """Freed by the garbage collector, in the middle of whatever runs: so that threads take turns there."""

    def __init__(self) -> None:
        self.itself = self

    def __del__(self) -> None:
        sum(range(50))


@pytest.fixture
def restless() -> Iterator[None]:
    """Threads take turns, and garbage is collected, all the time."""
    switching, thresholds = sys.getswitchinterval(), gc.get_threshold()
    sys.setswitchinterval(1e-6)
    gc.set_threshold(50, 2, 2)
    yield
    sys.setswitchinterval(switching)
    gc.set_threshold(*thresholds)


def test_threads_do_not_disturb_each_other(restless: None):
    errors: list[BaseException] = []

    def parse_often() -> None:
        for _turn in range(60):
            _Freed()
            try:
                assert len(source.parse(TEXT).body) > 10
            except BaseException as error:
                errors.append(error)

    threads = [threading.Thread(target=parse_often) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_what_python_cannot_read_is_said():
    for text in ("def f(:", "x = 1\0", "(" * 500):
        with pytest.raises((SyntaxError, ValueError, RecursionError, MemoryError)):
            source.parse(text)
    assert source.parse("1 + 1", "eval").body
