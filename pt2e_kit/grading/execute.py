"""Run a rebuilt notebook in a sandbox, with limits, and lose no more than the question that misbehaves."""

import time
from pathlib import Path
from typing import Any

import nbformat
from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading import cold, executed
from pt2e_kit.grading.executed import Executed
from pt2e_kit.grading.notes import CannotGrade, Note
from pt2e_kit.grading.plan import Step, steps
from pt2e_kit.grading.sandbox import another_user, scratch_folder
from pt2e_kit.grading.seize import MOST
from pt2e_kit.grading.warm import NotWarm, Zygote, borrowed
from pt2e_kit.notebooks import is_graded
from pt2e_kit.settings import Limits


def execute(
    notebook: NotebookNode,
    instructor: NotebookNode,
    source: Path,
    libraries: list[str],
    limits: Limits,
    *,
    isolated: bool = True,
) -> Executed:
    """Run all code cells in order; outputs go into `notebook`. Errors of cells stop nothing.

    A cell over its time is interrupted, and what it had defined counts. A process that died or does not react is
    replaced, and the cells before are run again without the one that ended it.

    Args:
        notebook: the rebuilt one.
        instructor: what it was rebuilt from: its names and imports are what plain tests may rely on.
        source: the assignment's folder, with the helper files that notebooks import.
        libraries: the modules to have at hand, from `plan.libraries`.
        isolated: whether to run in the sandbox.

    Raises:
        CannotGrade: no process can be started (state `failed`): our side.
    """
    executed.start_afresh(notebook)
    try:
        with borrowed(source, libraries, isolated=isolated) as process:
            return _Warm(notebook, steps(notebook, instructor), process, limits).run()
    except NotWarm as reason:
        if not isolated and another_user():  # a kernel that starts cold would be root's
            raise CannotGrade("failed", _("there is no process to run it in: {e}").format(e=reason)) from None
        result = cold.execute(notebook, source, limits, isolated=isolated)
        text = _("run in a kernel that was started cold, with plain tests in the student's process: {reason}")
        result.notes.append(Note("environment", text.format(reason=reason)))
        return result


class _Warm:
    """The cells of one notebook, in one process after the other where it takes more than one."""

    def __init__(self, notebook: NotebookNode, todo: list[Step], process: Zygote, limits: Limits) -> None:
        self.notebook, self.process, self.limits = notebook, process, limits
        self.result = Executed()
        self.todo, self.done = todo, list[Step]()
        self.processes = 0
        self.displays: dict[str, NotebookNode] = {}
        self.put_back: dict[tuple[str, str], list[str]] = {}
        """What stood in the way of tests: kind and names → the tests."""

    def run(self) -> Executed:
        """Run all steps; see `execute`."""
        deadline = time.monotonic() + self.limits.submission_seconds
        while self.todo:
            lost = self._one_process(max(0.0, deadline - time.monotonic()))
            if lost is None:
                break
            self._skip(lost)
            if self.processes > self.limits.replacements:
                executed.note_replaced(self.result, self.limits.replacements)
                break
        executed.note_questions(self.notebook, self.result)
        self._note_put_back()
        return self.result

    def _skip(self, lost: int) -> None:
        """Go on behind the step that ended the process; `lost` counts from the first that was run again."""
        again = len(self.done)
        if lost < again:
            del self.done[lost]
            return
        self.done += [step for step in self.todo[: lost - again] if self._is_worth_repeating(step)]
        del self.todo[: lost - again + 1]

    def _is_worth_repeating(self, step: Step) -> bool:
        """Tests have left their evidence and outputs already, and what hung once will hang again."""
        test = step.kind == "test" or (is_graded(self.notebook.cells[step.index]) and not step.silent)
        return not test and self.result.statuses.get(step.index) not in ("timeout", "died")

    def _one_process(self, seconds: float) -> int | None:
        """Run what was done again and then what is left; return at which step the process was lost, or None."""
        if self.process.isolated:
            return self._run_request({}, seconds)
        with scratch_folder() as scratch:
            places = {"scratch": str(scratch), "helpers": str(self.process.helpers), "another_user": another_user()}
            return self._run_request(places, seconds)

    def _run_request(self, places: dict[str, Any], seconds: float) -> int | None:
        number, self.processes = self.processes, self.processes + 1
        sequence = [*self.done, *self.todo]
        silent = {n for n, step in enumerate(sequence) if n < len(self.done) or step.silent}
        running, lost = -1, None
        for header, payload in self.process.run(places | self._request(sequence, seconds), seconds + 60):
            at = header.get("at", -1)
            step = sequence[at]
            if "broken" in header:
                text = _("the sandbox cannot be set up: {e}")
                raise CannotGrade("failed", text.format(e=str(header["broken"])[:300]))
            if "began" in header:
                running = at
            elif "output" in header and at not in silent:
                self._add(step, header["output"])
            elif "ended" in header:
                if header["ended"] in ("hung", "died"):
                    lost = at
                if at not in silent:
                    self._ended(step, header)
            elif "evidence" in header:
                content = payload if header.get("plain") else None
                self.result.evidence.append((number, str(header["evidence"]), content))
            elif "over" in header:
                executed.note_over(self.result, self.limits.submission_seconds)
            elif "done" in header:
                return lost
        # It ended in the middle: the machine's doing, not that of any limit of ours.
        if running < 0:
            raise CannotGrade("failed", _("the sandbox ended before the first cell ran"))
        if running not in silent:
            self._ended(sequence[running], {"ended": "died"})
        return running

    def _request(self, sequence: list[Step], seconds: float) -> dict[str, Any]:
        limits = self.limits
        resources = {
            "RLIMIT_CPU": limits.cpu_seconds,
            "RLIMIT_DATA": limits.memory_bytes,
            "RLIMIT_NPROC": limits.processes,
            "RLIMIT_NOFILE": limits.open_files,
            "RLIMIT_FSIZE": limits.file_bytes,
            "RLIMIT_CORE": 0,
        }
        return {
            "cells": [{"source": s.source, "kind": s.kind, **s.more} for s in sequence],
            "limits": {
                "cell_seconds": limits.cell_seconds,
                "submission_seconds": seconds,
                "interrupt_seconds": limits.interrupt_seconds,
                "output_bytes": limits.output_bytes,
                "memory_bytes": limits.memory_bytes,
                "disk_bytes": limits.disk_bytes,
                "resources": resources,
                "evidence": MOST,
            },
        }

    def _ended(self, step: Step, header: dict[str, Any]) -> None:
        cell, status, reason = self.notebook.cells[step.index], header["ended"], header.get("reason", "")
        if header.get("cut"):
            executed.note_cut(cell, self.result, self.limits.output_bytes)
        if header.get("strange"):
            executed.note_strange(cell, self.result)
        if status in ("timeout", "hung"):
            executed.note_stopped(cell, self.result, self.limits.cell_seconds)
        elif status == "died" or reason == "processes" or (header.get("report") or {}).get("died"):
            status = "died" if status == "error" else status
            executed.note_ended(cell, self.result, reason)
        self.result.statuses[step.index] = {"ok": "ok", "error": "error", "hung": "timeout"}.get(status, status)
        if step.kind == "test":
            self._test_ended(step, cell, header.get("report") or {})

    def _test_ended(self, step: Step, cell: NotebookNode, report: dict[str, Any]) -> None:
        """Show the value of the test's last line as its result, and note what the answers had put in the way."""
        score = report.get("score")
        if isinstance(score, dict):
            shown = {"text/plain": str(score.get("text"))[:1000]}
            cell.outputs.append(nbformat.v4.new_output("execute_result", shown))
        for key in ("changed", "hidden"):
            names = report.get(key)
            if isinstance(names, list) and names:
                listed = ", ".join(str(n)[:80] for n in names)
                self.put_back.setdefault((key, listed), []).append(executed.name_of(cell))

    def _note_put_back(self) -> None:
        texts = {
            "changed": _("the answers replaced {names}; what was there before was put back for the tests {ids}"),
            "hidden": _("the answers gave another meaning to {names}; the tests {ids} were run with their own"),
        }
        for (key, names), ids in self.put_back.items():
            message = texts[key].format(names=names, ids=", ".join(dict.fromkeys(ids)))
            self.result.notes.append(Note("suspicion" if key == "changed" else "repair", message))

    def _add(self, step: Step, raw: Any) -> None:
        """Add an output to its cell, in the form of notebooks."""
        cell = self.notebook.cells[step.index]
        output = _as_output(raw, test=step.kind == "test")
        if output is None:
            return
        if step.kind == "test" and raw["output_type"] == "execute_result":
            text = _("test cell {id} shows more results than its own; only its own counts")
            self.result.notes.append(Note("suspicion", text.format(id=executed.name_of(cell))))
        name = (raw.get("transient") or {}).get("display_id") if isinstance(raw.get("transient"), dict) else None
        if raw["output_type"] == "update_display_data":
            if isinstance(name, str) and name in self.displays:
                self.displays[name].update(data=output.data, metadata=output.metadata)
            return
        last = cell.outputs[-1] if cell.outputs else None
        if last is not None and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
            return
        if isinstance(name, str):
            self.displays[name] = output
        cell.outputs.append(output)


def _as_output(raw: Any, *, test: bool) -> NotebookNode | None:
    """An output as nbformat has it, or None where it is none. A test's result comes with its report only."""
    if not isinstance(raw, dict):
        return None
    kind = raw.get("output_type")
    if kind == "stream":
        name = "stderr" if raw.get("name") == "stderr" else "stdout"
        return nbformat.v4.new_output("stream", name=name, text=str(raw.get("text", "")))
    if kind == "error":
        lines = raw.get("traceback")
        lines = [str(line) for line in lines] if isinstance(lines, list) else []
        return nbformat.v4.new_output(
            "error", ename=str(raw.get("ename")), evalue=str(raw.get("evalue")), traceback=lines
        )
    if kind in ("display_data", "execute_result", "update_display_data") and isinstance(raw.get("data"), dict):
        result = kind == "execute_result" and not test
        return nbformat.v4.new_output("execute_result" if result else "display_data", data=raw["data"])
    return None
