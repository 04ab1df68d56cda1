"""What you have solved so far: kept on this machine only, in your own data folder, one small file for all lessons.

Every check adds to it. That must never break a check or keep it waiting, so whatever goes wrong here is left out in
silence: a note on progress is worth less than the check itself. Nothing here loads torch.
"""

import contextlib
import json
import os
import tempfile
import threading
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from common.exercise.capture import FOLDER_VARIABLE
from common.i18n import _

SCHEMA = "pt2e-kit.progress/1"
FILE_VARIABLE = "PT2E_KIT_PROGRESS"
"""Names another file; ``off`` keeps no progress at all."""
LOCK_SECONDS = 5.0
WAIT_SECONDS = 0.5
"""No check waits longer than this for its note to be written; it is written all the same, a little later."""
MAX_BYTES = 2**20
_local = threading.Lock()  # a lock file keeps out other processes, this keeps out our own threads


def progress_file() -> Path | None:
    """Return where progress is kept; None where it is switched off."""
    named = os.environ.get(FILE_VARIABLE, "")
    if named.casefold() == "off":
        return None
    if named:
        return Path(named)
    from platformdirs import user_data_path

    return user_data_path("pt2e-kit") / "progress.json"


def is_recording() -> bool:
    """Whether a check leaves a note: not while somebody's work is graded, and not where it is switched off."""
    return not os.environ.get(FOLDER_VARIABLE) and progress_file() is not None


def record(verdict: Mapping[str, Any], *, hidden: bool = False) -> None:
    """Note the outcome of one check (`Verdict.as_dict`). Never raises, and never waits long.

    Args:
        verdict: what the judge said.
        hidden: whether the hidden cases were tried as well.
    """
    with contextlib.suppress(Exception):
        if not is_recording() or is_no_try(verdict):
            return
        outcome = {k: verdict[k] for k in ("id", "passed", "score", "max_score")} | {"hidden": hidden}
        writer = threading.Thread(name="_write_quietly", target=_write_quietly, args=(outcome,), daemon=True)
        writer.start()
        writer.join(WAIT_SECONDS)


def is_no_try(verdict: Mapping[str, Any]) -> bool:
    """Whether there was no answer to try: a stub, or a cell that has not run, is no try."""
    ideas = {(f["misconception"] or "").rpartition("/")[2] for f in verdict["findings"]}
    return bool(ideas) and ideas <= {"stub", "not-run"}


def read_progress() -> dict[str, dict[str, Any]]:
    """Return what is noted, by exercise: `tries`, `passed` (the last time), `solved` (when first, or None), `score`,
    `max_score`, `last` (when), `hidden` (whether it was solved with the hidden cases too).

    A file that cannot be read counts as empty. It is left where it is; the next check sets it aside.
    """
    path = progress_file()
    if path is None:
        return {}
    try:
        return _parsed(path)
    except (OSError, ValueError):
        return {}


def solved_exercises() -> set[str]:
    """Return the ids of the exercises that were solved at some time."""
    return {i for i, entry in read_progress().items() if entry["solved"]}


def _write_quietly(outcome: Mapping[str, Any]) -> None:
    with contextlib.suppress(Exception):
        write(outcome)


def write(outcome: Mapping[str, Any]) -> None:
    """Add one outcome to the file: under a lock, and whole or not at all.

    Raises:
        OSError: the file cannot be written, or somebody else has held its lock for too long.
    """
    from filelock import FileLock

    path = progress_file()
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with _local, FileLock(path.with_name(path.name + ".lock"), timeout=LOCK_SECONDS):
        entries = _read_or_set_aside(path)
        now = datetime.now(UTC).isoformat(timespec="seconds")
        old = entries.get(outcome["id"], {"tries": 0, "solved": None, "hidden": False})
        passed = bool(outcome["passed"])
        entries[outcome["id"]] = {
            "tries": old["tries"] + 1,
            "passed": passed,
            "solved": old["solved"] or (now if passed else None),
            "hidden": old["hidden"] or (passed and bool(outcome["hidden"])),
            "score": outcome["score"],
            "max_score": outcome["max_score"],
            "last": now,
        }
        _replace(path, {"schema": SCHEMA, "exercises": entries})


def _replace(path: Path, content: Mapping[str, Any]) -> None:
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(content, file, indent=1, sort_keys=True)
            file.write("\n")
        Path(part).replace(path)
    except BaseException:
        Path(part).unlink(missing_ok=True)
        raise


def _read_or_set_aside(path: Path) -> dict[str, dict[str, Any]]:
    try:
        return _parsed(path)
    except FileNotFoundError:
        return {}
    except ValueError:  # damaged: somebody may still want to look at it, so it is renamed and not lost
        for name in _names_aside(path):
            if not name.exists():
                path.replace(name)
                break
        return {}


def _names_aside(path: Path) -> Iterator[Path]:
    yield path.with_name(f"{path.stem}.damaged{path.suffix}")
    yield from (path.with_name(f"{path.stem}.damaged-{n}{path.suffix}") for n in range(2, 1000))


def _parsed(path: Path) -> dict[str, dict[str, Any]]:
    """Read the file; what it says about an exercise in another form than ours is left out.

    Raises:
        FileNotFoundError: there is no file yet.
        ValueError: it is damaged.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ValueError(_("{path} is too large to be ours").format(path=path))
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["schema"] != SCHEMA:
            raise ValueError(_("{path} has another form than this version writes").format(path=path))
        entries = content["exercises"].items()
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(str(error)) from None
    return {i: entry for i, entry in entries if _is_entry(entry)}


_FORM: dict[str, type | tuple[type, ...]] = {
    "tries": int,
    "passed": bool,
    "solved": (str, type(None)),
    "hidden": bool,
    "score": (int, float),
    "max_score": (int, float),
    "last": str,
}


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and all(isinstance(entry.get(key), kind) for key, kind in _FORM.items())
