"""A JupyterLab on loopback, and a browser that clicks in it as a person would.

Used by the tests in this folder and by tools/make_screenshots.py.
"""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from common.exercise.progress import FILE_VARIABLE

TOKEN = uuid.uuid4().hex
START_SECONDS = 90
CELL_MS = 120_000
"""Milliseconds to wait for a cell: torch is imported, and another test may keep the machine busy."""

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
SETTINGS = {
    "lab/user-settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings": '{"fetchNews": "false", "checkForUpdates": false}',
}
"""Files with settings: no question about news."""


def chromium() -> str | None:
    """The browser of this machine; none is downloaded."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def why_not() -> str:
    """Why there can be no browser here; empty: there can."""
    if chromium() is None:
        return "chromium is not installed (as root: apt-get install -y chromium)"
    try:
        import playwright  # noqa: F401
    except ImportError:
        return "playwright is not installed (the dev extra)"
    return ""


def free_port() -> int:
    """A port of the loopback interface that nobody uses."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextlib.contextmanager
def server(folder: Path, **more: str) -> Iterator[str]:
    """JupyterLab on a folder, with settings and history of its own; yields its address."""
    private = Path(tempfile.mkdtemp(prefix="pt2e-lab-"))
    for name, text in SETTINGS.items():
        path = private / "config" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    own = {"JUPYTER_CONFIG_DIR": "config", "JUPYTER_RUNTIME_DIR": "runtime", "IPYTHONDIR": "ipython", "HOME": "home"}
    own |= {"XDG_DATA_HOME": "data"}
    environment = os.environ | {name: str(private / place) for name, place in own.items()} | more
    environment.pop(FILE_VARIABLE, None)  # progress is kept, in the data folder above
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment.get("PATH", "")])
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    (private / "home").mkdir()
    port = free_port()
    options = {
        "ServerApp.ip": "127.0.0.1",
        "ServerApp.port": port,
        "ServerApp.port_retries": 0,
        "ServerApp.root_dir": str(folder),
        "IdentityProvider.token": TOKEN,
        "LabApp.expose_app_in_browser": "True",
        "LanguageServerManager.autodetect": "False",  # where one is installed it talks in dialogs
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", *(f"--{k}={v}" for k, v in options.items())]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")
    with (private / "log").open("wb") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
        )
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_for(address, process, private / "log")
        yield address
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        shutil.rmtree(private, ignore_errors=True)


def _wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/api/status?token={TOKEN}", timeout=5):
            return
        time.sleep(0.2)
    raise RuntimeError(f"JupyterLab did not start:\n{log.read_text(errors='replace')[-3000:]}")


@contextlib.contextmanager
def browser() -> Iterator[Any]:
    """Chromium, without a window."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        try:
            yield found
        finally:
            found.close()


class Lab:
    """One window of the browser with JupyterLab in it."""

    def __init__(self, browser: Any, address: str, *, height: int = 2400, dark: bool = False) -> None:
        self.address = address
        context = browser.new_context(viewport={"width": 1400, "height": height}, device_scale_factor=1)
        self.page = context.new_page()
        self.page.set_default_timeout(60_000)
        self.dark = dark

    def open(self, path: str = "") -> None:
        """Open a file, or no file, in a workspace of its own."""
        place = f"{uuid.uuid4().hex[:8]}/tree/{path}" if path else uuid.uuid4().hex[:8]
        self.page.goto(f"{self.address}/lab/workspaces/{place}?token={TOKEN}&reset")
        self._wait_for_lab()
        if self.dark:
            self.command("apputils:change-theme", theme="JupyterLab Dark")
        if path.endswith(".ipynb"):
            self.page.wait_for_function(
                "() => { const p = window.jupyterapp.shell.currentWidget;"
                " return p?.sessionContext?.session?.kernel?.status === 'idle' && p.content.widgets.length > 0; }"
            )

    def _wait_for_lab(self) -> None:
        self.page.wait_for_function("() => window.jupyterapp !== undefined")
        self.page.locator("#jupyterlab-splash").wait_for(state="detached")
        self.page.evaluate("() => window.jupyterapp.restored")

    def command(self, name: str, **arguments: Any) -> None:
        """Run a command of JupyterLab's."""
        self.page.evaluate("([name, given]) => window.jupyterapp.commands.execute(name, given)", [name, arguments])

    def open_formgrader(self) -> Any:
        """Open nbgrader's formgrader in a tab; return the page in it."""
        self.command("nbgrader:open-formgrader")
        return self.page.frame_locator("#formgrader iframe")

    # -- cells, by their ids

    def _index(self, cell: str) -> int:
        index = self.page.evaluate(
            "id => window.jupyterapp.shell.currentWidget.content.widgets.findIndex(w => w.model.id === id)", cell
        )
        assert index >= 0, f"there is no cell {cell}"
        return index

    def write(self, cell: str, source: str) -> None:
        """Replace the text of a cell."""
        self.page.evaluate(
            "([i, text]) => window.jupyterapp.shell.currentWidget.content.widgets[i].model.sharedModel.setSource(text)",
            [self._index(cell), source],
        )

    def insert_below(self, cell: str, source: str) -> str:
        """Put a new cell behind another one; return its id."""
        self.select(cell)
        self.command("notebook:insert-cell-below")
        new = self.page.evaluate(
            "i => window.jupyterapp.shell.currentWidget.content.widgets[i].model.id", self._index(cell) + 1
        )
        self.write(new, source)
        return new

    def select(self, cell: str) -> None:
        """Make a cell the active one, and bring it into view."""
        self.page.evaluate(
            "i => { const n = window.jupyterapp.shell.currentWidget.content; n.activeCellIndex = i;"
            " n.scrollToCell(n.widgets[i], 'start'); }",
            self._index(cell),
        )

    def run(self, *cells: str) -> str:
        """Run cells in order; return what the last one shows, as text."""
        for cell in cells:
            self.select(cell)
            self.command("notebook:run-cell")  # its promise is settled when the cell has run
            self.page.wait_for_function(
                "i => window.jupyterapp.shell.currentWidget.content.widgets[i].model.executionCount !== null",
                arg=self._index(cell),
                timeout=CELL_MS,
            )
        return self.shown(cells[-1])

    def output(self, cell: str) -> Any:
        """The part of the page that shows a cell's outputs."""
        self.select(cell)
        return self.page.locator(".jp-NotebookPanel:visible .jp-Notebook .jp-Cell.jp-mod-active .jp-Cell-outputArea")

    def shown(self, cell: str) -> str:
        """What a cell shows, as text."""
        area = self.output(cell)
        return area.inner_text() if area.count() else ""

    def code_cells(self) -> list[str]:
        """The ids of all code cells, in order."""
        return self.page.evaluate(
            "() => window.jupyterapp.shell.currentWidget.content.widgets"
            ".filter(w => w.model.type === 'code').map(w => w.model.id)"
        )

    def is_locked(self, cell: str) -> bool:
        """Whether a cell refuses to be written to."""
        return self.page.evaluate(
            "i => window.jupyterapp.shell.currentWidget.content.widgets[i].model.getMetadata('editable') === false"
            " || window.jupyterapp.shell.currentWidget.content.widgets[i].readOnly",
            self._index(cell),
        )

    def validate(self) -> str:
        """Press nbgrader's Validate; return what it says, and close that."""
        self.save()
        self.page.locator(".jp-NotebookPanel-toolbar:visible").get_by_text("Validate", exact=True).click()
        dialog = self.page.locator(".jp-Dialog-content")
        dialog.wait_for(timeout=2 * CELL_MS)
        said = dialog.inner_text()
        dialog.locator("button").last.click()
        dialog.wait_for(state="detached")
        return said

    def save(self) -> None:
        """Save the notebook."""
        self.command("docmanager:save")
