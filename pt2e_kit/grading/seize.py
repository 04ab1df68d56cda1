"""Put the evidence that came out of the sandbox into a folder of ours, and note what is no evidence."""

from collections.abc import Iterable
from pathlib import Path

from common.exercise.evidence import MAX_CASE_BYTES, MAX_PIECES, MAX_SUBMISSION_BYTES
from common.i18n import _
from pt2e_kit.grading.collect import shown
from pt2e_kit.grading.notes import Note
from pt2e_kit.inside.files import FLOOD, GONE

_PARTS = (".json", ".safetensors")

MOST = {"max_files": 2 * MAX_PIECES, "max_bytes": 2 * MAX_SUBMISSION_BYTES, "max_file_bytes": MAX_CASE_BYTES}
"""How much of a folder is read at most; the judge has limits of its own below these."""


def seize(found: Iterable[tuple[int, str, bytes | None]], target: Path) -> list[Note]:
    """Write pieces of evidence, given as (process, name, content), into `target`, a new folder; return notes."""
    target.mkdir(parents=True)
    notes: list[Note] = []
    for process, name, data in found:
        if name == GONE:
            notes.append(Note("suspicion", _("the folder for evidence was removed or replaced")))
        elif name == FLOOD:
            notes.append(Note("suspicion", _("there is far too much evidence; the rest was not read")))
        elif data is not None and name.endswith(_PARTS):
            (target / f"{process}-{Path(name).name}").write_bytes(data)
        elif not name.endswith(".part"):  # those were cut off while they were written
            text = _("a file among the evidence is not ours: {name}").format(name=shown(Path(name)))
            notes.append(Note("suspicion", text))
    return notes
