"""All feedback pages in one zip, with a folder for each student: to be sent, or uploaded to Moodle."""

import csv
import io
import re
import zipfile
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.course import Course
from pt2e_kit.reports.sheets import Outcome
from pt2e_kit.standing import safe_cell

INDEX = "index.csv"
"""In the zip: whose folder is whose, and what is stale."""
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
SCRIPT = re.compile(r"<script\b.*?</script\s*>", re.IGNORECASE | re.DOTALL)
HEAD = re.compile(r"<head\b[^>]*>", re.IGNORECASE)


def write_feedback_zip(
    course: Course,
    assignment: str,
    rows: list[dict[str, Any]],
    path: Path,
    folders: dict[str, str] | None = None,
    *,
    with_stale: bool = False,
) -> Outcome:
    """Write the pages in feedback/ into a zip, whole or not at all; tell who is left and why.

    Pages go out without scripts, and with a policy that lets a browser load nothing: nbgrader's own pages fetch a
    library for formulas from elsewhere.

    Args:
        folders: student → name of the folder in the zip; the student's id where it is not given. With it, who is not in
            it is left.
    """
    outcome, index = Outcome(), []
    part = path.with_name(path.name + ".part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as made:
            for row in rows:
                student = row["student_id"]
                pages = sorted((course.root / "feedback" / student / assignment).glob("*.html"))
                pages = [page for page in pages if page.is_file() and not page.is_symlink()]
                folder = (folders or {}).get(student, "" if folders is not None else student)
                why = _why_left(row, pages, folder, with_stale)
                if why:
                    outcome.left.append((student, why))
                    continue
                for page in pages:
                    made.writestr(f"{folder}/{page.name}", still(page.read_text(encoding="utf-8")))
                outcome.written.append(student)
                names = " ".join(page.name for page in pages)
                index.append([student, folder, names, row["state"], row["stale"]])
            text = io.StringIO()
            csv.writer(text).writerow(("student_id", "folder", "files", "state", "stale"))
            csv.writer(text).writerows([[safe_cell(cell) for cell in line] for line in index])
            made.writestr(INDEX, text.getvalue())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    return outcome


def _why_left(row: dict[str, Any], pages: list[Path], folder: str, with_stale: bool) -> str:
    if not pages:
        return _("no feedback page ({state})").format(state=row["state"])
    if row["stale"] and not with_stale:
        return _("stale: {why}").format(why=row["stale"])
    return "" if folder else _("is not in the sheet")


def still(page: str) -> str:
    """Return a page without scripts, that a browser lets load nothing."""
    page = SCRIPT.sub("", page)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    return HEAD.sub(lambda head: head[0] + policy, page, count=1)
