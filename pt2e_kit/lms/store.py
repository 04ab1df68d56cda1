"""Write what a plan says into submitted/, and nowhere else. Nothing that is there is lost."""

import contextlib
import errno
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from common.i18n import _
from pt2e_kit.grading.collect import IGNORED_FOLDERS
from pt2e_kit.grading.times import for_timestamp_file, read_time
from pt2e_kit.lms.download import Member, Refused
from pt2e_kit.lms.plan import Plan, Submission
from pt2e_kit.lms.students import same

REPLACED = ".replaced"
"""In submitted/: earlier submissions. nbgrader and the kit take no folder that begins with a dot for a student."""
TIMESTAMP = "timestamp.txt"

Outcome = Literal["collected", "replaced", "time added", "already there", "ambiguous", "left"]


@dataclass
class Row:
    """What became of one student's submission, or (without a student) of a file that belongs to nobody."""

    outcome: Outcome
    student: str
    person: str
    files: list[str]
    moment: str | None
    remarks: list[str]

    @property
    def done(self) -> bool:
        """Whether nobody has to look at it."""
        return self.outcome not in ("ambiguous", "left")


def carry_out(
    plan: Plan, submitted: Path, assignment: str, *, replace: bool = False, dry_run: bool = False
) -> list[Row]:
    """Write the submissions of a plan; return what was done, or with `dry_run` what would be done.

    Each submission is written whole or not at all: beside its place first, then moved. A different one that is there
    already is left where it is; with `replace` it moves to ``submitted/.replaced/<student>/<assignment>/``.

    Raises:
        RuntimeError: another process is collecting into this folder.
    """
    store = _Store(submitted, assignment, replace)
    rows = [Row("left", "", name, [], None, [why]) for name, why in plan.left]
    todo: list[tuple[Submission, Row]] = []
    with contextlib.nullcontext() if dry_run else _only_collector(submitted):
        for submission in plan.submissions:
            row, to_write = store.judge(submission)
            rows.append(row)
            if to_write:
                todo.append((submission, row))
        if todo and not dry_run:
            for rest in submitted.glob(".collecting-*"):
                shutil.rmtree(rest)  # of a process that was killed
            with tempfile.TemporaryDirectory(prefix=".collecting-", dir=submitted) as beside:
                store.write(todo, Path(beside))
    return sorted(rows, key=lambda r: (r.student == "", r.student.casefold(), r.person))


@contextlib.contextmanager
def _only_collector(submitted: Path) -> Iterator[None]:
    submitted.mkdir(exist_ok=True)
    try:
        with FileLock(submitted / ".collecting.lock", timeout=0):
            yield
    except Timeout:
        raise RuntimeError(
            _("another process is collecting into {folder}; wait until it is done").format(folder=submitted)
        ) from None


class _Cannot(Exception):
    """A submission that is not written; the message says why."""


class _Store:
    def __init__(self, submitted: Path, assignment: str, replace: bool) -> None:
        self.submitted, self.assignment, self.replace = submitted, assignment, replace
        there = [p.name for p in submitted.iterdir()] if submitted.is_dir() else []
        self.there = {same(name): name for name in there if not name.startswith(".")}

    def judge(self, submission: Submission) -> tuple[Row, bool]:
        """What is to become of a submission, given what is there; and whether there is something to write."""
        moment = for_timestamp_file(submission.moment) if submission.moment else None
        told = [*([submission.why] if submission.why else []), *submission.remarks]
        row = Row("left", submission.student, submission.person, sorted(submission.files), moment, told)
        if submission.state == "left":
            return row, False
        try:
            row.outcome = self._compare(submission, moment)
        except _Cannot as cannot:
            row.remarks.insert(0, str(cannot))
        to_write = row.outcome not in ("left", "already there")
        if submission.state == "ambiguous" and row.outcome != "left":
            row.outcome = "ambiguous"
        return row, to_write

    def _compare(self, submission: Submission, moment: str | None) -> Outcome:
        other = self.there.get(same(submission.student), submission.student)
        if other != submission.student:
            text = _("submitted/ has a student {other!r}, whose name differs in case or accents only")
            raise _Cannot(text.format(other=other))
        place = self.submitted / submission.student / self.assignment
        for folder in (place.parent, place):
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                raise _Cannot(_("{folder} is a link or no folder").format(folder=folder))
        if not place.exists():
            return "collected"
        digests, stamp = _inside(place)
        if not digests and stamp is None:
            return "collected"
        if digests == submission.digests and (moment is None or _same_time(stamp, moment)):
            return "already there"
        if digests == submission.digests and stamp is None:
            return "time added"
        if not self.replace:
            what = _("the same with another time") if digests == submission.digests else _("a different submission")
            text = _("{what} is there; with --replace this one takes its place, and that one is kept in {folder}")
            raise _Cannot(text.format(what=what, folder=f"submitted/{REPLACED}"))
        known = read_time(stamp).moment if stamp else None
        if known and submission.moment and known > submission.moment:
            text = _("the submission that is there is newer ({time}); to take this one, move that one away yourself")
            raise _Cannot(text.format(time=for_timestamp_file(known)))
        return "replaced"

    def write(self, todo: list[tuple[Submission, Row]], beside: Path) -> None:
        """Write submissions beside their places in the download's order (seeking in a tar.gz is slow), and move them."""
        ready: dict[str, Path] = {}
        for number, (submission, row) in enumerate(todo):
            folder = beside / str(number)
            try:
                for name, member in submission.files.items():
                    if row.outcome != "time added":
                        _write_file(folder, name, member, submission.digests[name])
                folder.mkdir(exist_ok=True)
                if row.moment:
                    (folder / TIMESTAMP).write_text(row.moment + "\n", encoding="utf-8")
                ready[submission.student] = folder
            except (Refused, OSError) as error:
                if isinstance(error, OSError) and error.errno in (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC)):
                    raise
                row.outcome, row.remarks = "left", [str(error), *row.remarks]
        for submission, row in todo:
            if submission.student in ready:
                self._move(ready[submission.student], submission.student, row)

    def _move(self, ready: Path, student: str, row: Row) -> None:
        place = self.submitted / student / self.assignment
        place.parent.mkdir(exist_ok=True)
        if row.outcome == "time added":
            (ready / TIMESTAMP).rename(place / TIMESTAMP)
            return
        if place.exists():
            self._keep(place, student, row)
        ready.rename(place)

    def _keep(self, place: Path, student: str, row: Row) -> None:
        """Move what is there out of the way."""
        if not any(place.iterdir()):
            place.rmdir()
            return
        digests, stamp = _inside(place)
        name = hashlib.sha256(repr((sorted(digests.items()), stamp)).encode()).hexdigest()[:16]
        kept = self.submitted / REPLACED / student / self.assignment
        for folder in (kept.parent.parent, kept.parent, kept):
            if folder.is_symlink():
                raise RuntimeError(_("{folder} is a link; remove it, and collect again").format(folder=folder))
        kept.mkdir(parents=True, exist_ok=True)
        target = next(t for n in range(10_000) if not (t := kept / (f"{name}-{n}" if n else name)).exists())
        place.rename(target)
        where = target.relative_to(self.submitted.parent).as_posix()
        row.remarks.append(_("the earlier one is now in {folder}").format(folder=where))


def _inside(place: Path) -> tuple[dict[str, str], str | None]:
    """What a submission's folder holds: digests by path, and its time stamp. Links are not followed."""
    digests = {}
    stamp = None
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(f for f in folders if f not in IGNORED_FOLDERS)
        for name in sorted(names):
            path = Path(folder, name)
            inside = path.relative_to(place).as_posix()
            if path.is_symlink() or not path.is_file():
                digests[inside] = "link or special file"
            elif inside == TIMESTAMP:
                stamp = path.read_bytes()[:1000].decode("utf-8-sig", errors="replace").strip()
            else:
                with path.open("rb") as file:
                    digests[inside] = hashlib.file_digest(file, "sha256").hexdigest()
        digests |= {
            Path(folder, f).relative_to(place).as_posix(): "link" for f in folders if Path(folder, f).is_symlink()
        }
    return digests, stamp


def _same_time(stamp: str | None, moment: str) -> bool:
    return stamp is not None and read_time(stamp).moment == read_time(moment).moment


def _write_file(folder: Path, name: str, member: Member, digest: str) -> None:
    data = member.read()
    if hashlib.sha256(data).hexdigest() != digest:
        raise Refused(_("{path} changed while it was read; collect again").format(path=member.path))
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("xb") as file:
        file.write(data)
