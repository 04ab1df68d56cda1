"""What running a notebook gave, whatever ran it."""

from dataclasses import dataclass, field

from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.notes import Note
from pt2e_kit.notebooks import grade_metadata


@dataclass
class Executed:
    """What running a notebook gave: outputs stand in the notebook's cells."""

    statuses: dict[int, str] = field(default_factory=dict)
    """Cell index → "ok", "error", "timeout" or "died"; cells that did not run are not in it."""
    notes: list[Note] = field(default_factory=list)
    evidence: list[tuple[int, str, bytes | None]] = field(default_factory=list)
    """Files in the folders for evidence: number of the process that left it, name, content (None: no plain file)."""

    def limit(self, text: str) -> None:
        """Note that a limit was reached."""
        self.notes.append(Note("limit", text))


def name_of(cell: NotebookNode) -> str:
    """What a note calls a cell."""
    return grade_metadata(cell).get("grade_id") or cell.id


def start_afresh(notebook: NotebookNode) -> None:
    """Forget outputs of cells that are to run."""
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None


def note_questions(notebook: NotebookNode, executed: Executed) -> None:
    """Note cells that asked for input()."""
    for cell in notebook.cells:
        if any(o.get("ename") == "StdinNotImplementedError" for o in cell.get("outputs", [])):
            executed.limit(_("cell {id} asks for input(), and there is nobody to answer").format(id=name_of(cell)))


def note_cut(cell: NotebookNode, executed: Executed, most: int) -> None:
    """Note that only a part of a cell's output was kept."""
    text = _("the output of cell {id} was cut off at {n} kB")
    executed.limit(text.format(id=name_of(cell), n=most // 1000))


def note_strange(cell: NotebookNode, executed: Executed) -> None:
    """Note a message that no kernel sends by itself."""
    text = _("the kernel sent a message that makes no sense while cell {id} ran")
    executed.limit(text.format(id=name_of(cell)))


def note_stopped(cell: NotebookNode, executed: Executed, seconds: float) -> None:
    """Note that a cell took longer than it may."""
    executed.limit(_("time: cell {id} was stopped after {n} s").format(id=name_of(cell), n=round(seconds)))


def note_over(executed: Executed, seconds: float) -> None:
    """Note that the whole notebook took longer than it may."""
    text = _("time: the submission took more than {n:g} s; the rest was not run")
    executed.limit(text.format(n=seconds))


def note_replaced(executed: Executed, replacements: int) -> None:
    """Note that the process was lost too often."""
    executed.limit(_("the kernel was replaced {n} times; the rest was not run").format(n=replacements))


def note_ended(cell: NotebookNode, executed: Executed, reason: str = "") -> None:
    """Note that the process was lost while a cell ran; `reason` is what the supervisor saw."""
    if reason in ("talks nonsense", "closed its connection"):
        text = _("the kernel talked nonsense while cell {id} ran; it was replaced")
    elif reason == "memory":
        text = _("cell {id} needed more memory than allowed; its processes were ended")
    elif reason == "processes":
        text = _("cell {id} started more processes than allowed; they were ended")
    else:
        text = _("the kernel ended while cell {id} ran (exit, crash or out of memory)")
    executed.limit(text.format(id=name_of(cell)))
