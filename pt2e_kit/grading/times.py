"""When was it handed in? Strict reading of timestamp.txt: what is ambiguous is reported, never guessed."""

import re
from datetime import UTC, datetime
from pathlib import Path

from common.i18n import _
from pt2e_kit.grading.collect import read_plain_file
from pt2e_kit.grading.notes import Note


def submitted_at(folder: Path) -> tuple[str | None, list[Note]]:
    """Return the time in ``timestamp.txt`` as ISO 8601 with its zone, or None, and notes on what is wrong with it.

    ISO 8601 with a zone, and nbgrader's own ``2026-01-10 23:30:00.000000 UTC`` are understood.
    """
    try:
        text = read_plain_file(folder / "timestamp.txt", 1000).decode("utf-8-sig").strip()
    except FileNotFoundError:
        return None, []
    except OSError as error:
        message = _("timestamp.txt cannot be read: {e}").format(e=error.strerror or error)
        return None, [Note("time", message)]
    except UnicodeDecodeError:
        text = "?"
    if not text:
        return None, []
    nbgrader = re.fullmatch(r"(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?) (UTC|GMT|Z)", text)
    try:
        if nbgrader:
            moment = datetime.fromisoformat(nbgrader[1]).replace(tzinfo=UTC)
        elif re.match(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d", text):
            moment = datetime.fromisoformat(text)
        else:
            raise ValueError
    except ValueError:
        message = _("the time in timestamp.txt is not understood: {text!r}; write it as 2026-01-10T23:30:00+00:00")
        return None, [Note("time", message.format(text=text[:60]))]
    if moment.tzinfo is None:
        message = _("the time in timestamp.txt has no time zone: {text!r}; it is not used")
        return None, [Note("time", message.format(text=text[:60]))]
    return moment.isoformat(), []
