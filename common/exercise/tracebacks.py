"""The student's own traceback: cells and libraries, without frames of this kit."""

import re
import traceback
from pathlib import Path
from typing import Any

_COMMON = str(Path(__file__).resolve().parent.parent)
_CELL = re.compile(r"(ipykernel_\d+|ipython-input|<ipython|^<string>|^<answer)")
MAX_FRAMES = 12


def is_cell(filename: str) -> bool:
    """Whether a file name is that of a notebook cell."""
    return bool(_CELL.search(filename))


def exception_facts(error: BaseException, *, ours: bool = False) -> dict[str, Any]:
    """Return type, message and frames of an exception as plain text, innermost frame last.

    Our own frames are left out, unless the error is ours. Frames of libraries are shortened to the one that
    the student's code called and the last one.
    """
    try:
        message = str(error)[:1000]
    except Exception:  # a student's exception class may have a broken __str__
        message = ""
    frames = traceback.extract_tb(error.__traceback__)
    if not ours:
        frames = [f for f in frames if not f.filename.startswith(_COMMON)]
        cells = [i for i, f in enumerate(frames) if is_cell(f.filename)]
        keep = set(cells) | {i + 1 for i in cells} | {len(frames) - 1}
        frames = [f for i, f in enumerate(frames) if i in keep]
    if isinstance(error, SyntaxError) and error.lineno is not None:
        frames = []
    return {"type": type(error).__name__, "message": message, "frames": [_line(f) for f in frames[-MAX_FRAMES:]]}


def _line(frame: traceback.FrameSummary) -> str:
    if is_cell(frame.filename):
        where = "your cell"
    else:  # never a path of the machine: from site-packages on, or the file's name
        parts = Path(frame.filename).parts
        start = parts.index("site-packages") + 1 if "site-packages" in parts else len(parts) - 1
        where = "/".join(parts[start:])
    code = f": {frame.line}" if frame.line else ""
    return f"{where}, line {frame.lineno}, in {frame.name}{code}"
