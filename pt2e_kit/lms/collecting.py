"""A download and a course together: what the command `collect` and nbgrader's `zip_collect` both ask."""

import contextlib
from collections.abc import Iterator
from datetime import tzinfo
from pathlib import Path

from pt2e_kit.course import Course
from pt2e_kit.lms.download import open_download
from pt2e_kit.lms.names import forms
from pt2e_kit.lms.plan import Plan, make_plan
from pt2e_kit.lms.students import Students


@contextlib.contextmanager
def plan_download(
    course: Course,
    assignment: str,
    path: Path,
    *,
    chosen: str = "auto",
    students: Path | None = None,
    zone: tzinfo | None = None,
) -> Iterator[Plan]:
    """Plan what becomes of a download; it stays open, since the files of a plan are read when they are written.

    Args:
        chosen: what `--from` says, see `forms`.
        students: the students file.
        zone: the zone of stamps that name none.

    Raises:
        LookupError: there is no such assignment.
        ValueError: `chosen`, the students file or the download is none; the message says why.
        OSError: a file cannot be read.
    """
    notebooks = [p.stem for p in course.source(assignment).glob("*.ipynb")]
    tried = forms(chosen)
    who = Students.read(students) if students else None
    with open_download(path) as download:
        yield make_plan(download, tried, notebooks, students=who, zone=zone)
