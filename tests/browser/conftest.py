"""One JupyterLab and one browser for the tests of a folder; skipped where there is no browser."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lab
import pytest


@pytest.fixture(scope="module")  # not longer: while it is open, this thread has a running event loop
def chromium() -> Iterator[Any]:
    if reason := lab.why_not():
        pytest.skip(reason)
    with lab.browser() as found:
        yield found


@pytest.fixture
def keep_picture(tmp_path: Path, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]) -> Iterator[Any]:
    """A list for windows: where a test fails, what they showed is kept, and the path is printed."""
    windows: list[lab.Lab] = []
    failed = request.session.testsfailed
    yield windows
    if request.session.testsfailed > failed:
        for number, window in enumerate(windows):
            path = tmp_path / f"window-{number}.png"
            window.page.screenshot(path=path)
            print(f"what the browser showed: {path}")
