"""Run a rebuilt notebook in a Jupyter kernel that is started for it: where no warm process can be had.

Slower by the import of torch, and plain tests run in the student's process.
"""

import asyncio
import contextlib
import logging
import os
import signal
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from jupyter_client.kernelspec import KernelSpec, KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionComplete, DeadKernelError
from nbformat import NotebookNode
from traitlets import Int

from common.i18n import _
from pt2e_kit.grading import executed
from pt2e_kit.grading.executed import Executed
from pt2e_kit.grading.notes import CannotGrade
from pt2e_kit.grading.sandbox import Sandbox, processes_inside, scratch_folder
from pt2e_kit.grading.seize import MOST
from pt2e_kit.inside.files import plain_files
from pt2e_kit.notebooks import is_graded
from pt2e_kit.settings import Limits

# exit() would end the kernel; as an exception it ends its cell only.
_PRELUDE = """
def _leave(*_arguments):
    raise SystemExit("exit() ends the cell here, not the kernel")
get_ipython().user_ns.update(exit=_leave, quit=_leave)
def _keep_streams(_result, _streams=dict((n, getattr(__import__("sys"), n)) for n in ("stdout", "stderr"))):
    import sys
    for name, stream in _streams.items():  # the kernel flushes them after each cell, and answers no more if it cannot
        if not hasattr(getattr(sys, name, None), "flush"):
            setattr(sys, name, stream)
get_ipython().events.register("post_run_cell", _keep_streams)
del _leave, _keep_streams
"""


# A logger of their own: else nbclient and jupyter_client take that of the running application, nbgrader's for one.
_SILENT = logging.getLogger("pt2e_kit.kernel")
_SILENT.addHandler(logging.NullHandler())
_SILENT.propagate = False

OUTPUTS = ("stream", "display_data", "execute_result", "error", "update_display_data")


class _SandboxSpecs(KernelSpecManager):
    """The one kernelspec: our own command, whatever is installed."""

    def __init__(self, sandbox: Sandbox) -> None:
        super().__init__()
        self._sandbox = sandbox

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        # An interrupt by message reaches the kernel through the sandbox; a signal would end bubblewrap.
        return KernelSpec(argv=self._sandbox.command(), language="python", interrupt_mode="message")


class _BoundedClient(NotebookClient):
    """Keeps at most so many bytes of each cell's output, and outlives messages that make no sense.

    The kernel is the student's: what comes from it may be anything.
    """

    output_bytes = Int(200_000)

    def process_message(self, msg: dict[str, Any], cell: NotebookNode, cell_index: int) -> NotebookNode | None:
        try:
            if msg["msg_type"].startswith("comm"):
                return None  # widgets: nobody is there to use them, and they can redirect the output of later cells
            if msg["msg_type"] in OUTPUTS and not self._fits(msg, cell):
                return None
            return super().process_message(msg, cell, cell_index)
        except CellExecutionComplete:
            raise
        except Exception:
            cell["_strange"] = True
            return None

    def _fits(self, msg: dict[str, Any], cell: NotebookNode) -> bool:
        kept = cell.setdefault("_kept", 0)
        size = len(str(msg["content"]))
        cell["_kept"] = kept + size
        if kept + size > self.output_bytes:
            if msg["msg_type"] == "error":
                msg["content"] |= {"traceback": [], "evalue": str(msg["content"].get("evalue"))[:1000]}
            elif kept > self.output_bytes:
                return False
            elif msg["msg_type"] == "stream":
                msg["content"]["text"] = msg["content"]["text"][: self.output_bytes - kept] + "\n[…]\n"
            else:
                msg["content"]["data"] = {"text/plain": _("[output too large: left out]")}
        return True


def execute(notebook: NotebookNode, source: Path, limits: Limits, *, isolated: bool) -> Executed:
    """Run all code cells in order; see `pt2e_kit.grading.execute.execute`, which this does the work of.

    Raises:
        CannotGrade: the kernel cannot be started (state `failed`): our side.
    """
    with scratch_folder() as scratch, ThreadPoolExecutor(1) as thread:  # formgrader calls from within an event loop
        run = _Run(notebook, lambda: Sandbox.new(scratch, source, limits, isolated=isolated), limits)
        return thread.submit(lambda: asyncio.run(run.all_cells())).result()


async def _nothing(**_event: Any) -> None:
    """A hook that does nothing."""


class _Run:
    def __init__(self, notebook: NotebookNode, new_sandbox: Callable[[], Sandbox], limits: Limits) -> None:
        self.notebook, self.new_sandbox, self.limits = notebook, new_sandbox, limits
        self.result = Executed()
        self.deadline = time.monotonic() + limits.submission_seconds
        self.replaced = 0
        self.km: AsyncKernelManager | None = None
        self.watch: asyncio.Task[None] | None = None

    async def all_cells(self) -> Executed:
        try:
            await self._start()
            for index, cell in enumerate(self.notebook.cells):
                if self.km is None:
                    break
                if self.deadline < time.monotonic():
                    executed.note_over(self.result, self.limits.submission_seconds)
                    break
                if cell.cell_type == "code":
                    await self._cell(index, cell)
            self._look_at_outputs()
        finally:
            await self._stop()
            for cell in self.notebook.cells:
                cell.pop("_kept", None)
                cell.pop("_strange", None)
        return self.result

    async def _start(self) -> None:
        """Start a kernel in the sandbox. Sockets are files in the scratch: no port, no network."""
        sandbox = self.sandbox = self.new_sandbox()
        self.km = AsyncKernelManager(
            kernel_name="sandboxed",
            kernel_spec_manager=_SandboxSpecs(sandbox),
            transport="ipc",
            ip=str(sandbox.scratch / "s"),
            connection_file=str(sandbox.scratch / "kernel.json"),
            log=_SILENT,
        )
        self.client = _BoundedClient(
            self.notebook,
            km=self.km,
            allow_errors=True,
            skip_cells_with_tag="",
            record_timing=False,
            store_widget_state=False,
            startup_timeout=60,
            iopub_timeout=10,
            output_bytes=self.limits.output_bytes,
            log=_SILENT,
        )
        try:
            await self.client.async_start_new_kernel(
                env=sandbox.environment(),
                cwd=str(sandbox.work),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            provisioner: Any = self.km.provisioner
            self.watch = asyncio.create_task(self._watch_processes(provisioner.pid))
            await self.client.async_start_new_kernel_client()
            await self._quietly(_PRELUDE)
        except Exception as error:
            text = _("the kernel cannot be started: {type}: {e}")
            raise CannotGrade("failed", text.format(type=type(error).__name__, e=str(error)[:300])) from error

    async def _watch_processes(self, pid: int) -> None:
        """End a kernel with too many processes: the system's own limit holds neither for root nor for one sandbox."""
        while (count := await asyncio.to_thread(processes_inside, pid)) <= self.limits.processes:
            await asyncio.sleep(0.5)
        self.result.limit(_("the kernel had {n} processes; it was ended").format(n=count))
        os.kill(pid, signal.SIGKILL)

    async def _stop(self) -> None:
        if self.km is None:
            return
        if self.watch is not None:
            self.watch.cancel()
        with contextlib.suppress(Exception):
            if self.client.kc is not None:
                self.client.kc.stop_channels()
        with contextlib.suppress(Exception):
            await self.km.shutdown_kernel(now=True)
        self.km = None
        pieces = plain_files(self.sandbox.evidence, **MOST)
        self.result.evidence += [(self.replaced, name, content) for name, content in pieces]

    async def _quietly(self, source: str) -> None:
        kc: Any = self.client.kc
        kc.execute(source, silent=True, store_history=False)
        await kc.get_shell_msg(timeout=30)

    async def _cell(self, index: int, cell: NotebookNode) -> None:
        seconds = min(self.limits.cell_seconds, self.deadline - time.monotonic())
        self.client.timeout = max(1, round(seconds))

        async def keep_status(execute_reply: Any, **_rest: Any) -> None:
            status = (execute_reply or {}).get("content", {}).get("status")
            self.result.statuses[index] = "ok" if status == "ok" else "error"

        self.client.on_cell_executed = keep_status
        try:
            await self._execute(cell, index)
            self.result.statuses.setdefault(index, "ok")  # an empty cell gets no reply
        except TimeoutError:
            self.result.statuses[index] = "timeout"
            executed.note_stopped(cell, self.result, seconds)
            if not await self._interrupted():
                await self._replace(index)
        except Exception as error:
            self.result.statuses[index] = "died"
            executed.note_ended(cell, self.result, "" if isinstance(error, DeadKernelError) else "talks nonsense")
            await self._replace(index)

    async def _execute(self, cell: NotebookNode, index: int) -> None:
        """Execute one cell; the outer limit is for a kernel that floods us with messages."""
        most = (self.client.timeout or 0) + self.client.iopub_timeout + 5
        await asyncio.wait_for(self.client.async_execute_cell(cell, index), most)

    async def _interrupted(self) -> bool:
        """Interrupt the running cell and see whether the kernel answers again."""
        assert self.km is not None
        with contextlib.suppress(Exception):
            await self.km.interrupt_kernel()
        kc: Any = self.client.kc
        end = time.monotonic() + self.limits.interrupt_seconds
        wanted = kc.kernel_info()
        while (left := end - time.monotonic()) > 0:
            try:
                reply = await kc.get_shell_msg(timeout=left)
            except Exception:
                return False
            if reply["parent_header"].get("msg_id") == wanted:
                return True
        return False

    async def _replace(self, ended_at: int) -> None:
        """Put a new kernel in the place of one that is gone, and run the cells before again."""
        await self._stop()
        self.replaced += 1
        if self.replaced > self.limits.replacements:
            executed.note_replaced(self.result, self.limits.replacements)
            return
        await self._start()
        self.client.on_cell_executed = _nothing
        for cell_index, cell in enumerate(self.notebook.cells[:ended_at]):
            ended_early = self.result.statuses.get(cell_index) in ("timeout", "died")
            if cell.cell_type != "code" or ended_early or is_graded(cell) or self.deadline < time.monotonic():
                continue  # cells that hang are left out; tests have left their evidence and outputs already
            replayed = NotebookNode(cell_type="code", source=cell.source, metadata={}, outputs=[])
            try:
                await self._execute(replayed, cell_index)
            except TimeoutError:
                await self._interrupted()
            except Exception:
                pass  # the next cell will notice that the kernel is gone
            self.notebook.cells[cell_index] = cell

    def _look_at_outputs(self) -> None:
        executed.note_questions(self.notebook, self.result)
        for cell in self.notebook.cells:
            if cell.get("_strange"):
                executed.note_strange(cell, self.result)
            if cell.get("_kept", 0) > self.limits.output_bytes:
                executed.note_cut(cell, self.result, self.limits.output_bytes)
