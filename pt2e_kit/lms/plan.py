"""Decide what of a download goes where: whose submission it is, which one counts, and what is left and why."""

import contextlib
import dataclasses
import hashlib
import re
import unicodedata
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, tzinfo
from typing import Literal

from common.i18n import _
from pt2e_kit.grading.times import Reading, read_time
from pt2e_kit.lms.download import Download, Member, Refused
from pt2e_kit.lms.names import NOTEBOOK, Blackboard, Form, Piece
from pt2e_kit.lms.students import RESERVED, Students, same, why_not_an_id

State = Literal["new", "ambiguous", "left"]
MOST_BYTES_OF_A_NAME = 200
RECEIPT_BYTES = 100_000


@dataclass
class Submission:
    """What one student handed in, and what is to be done with it.

    `files` says where each notebook goes (a path in the student's folder); `digests` what is in it. A submission that
    is `ambiguous` has the notebooks of every attempt, each in a folder of its own, and no time: grading says so too.
    """

    student: str
    person: str
    state: State = "new"
    why: str = ""
    files: dict[str, Member] = field(default_factory=dict)
    digests: dict[str, str] = field(default_factory=dict)
    moment: datetime | None = None
    remarks: list[str] = field(default_factory=list)


@dataclass
class Plan:
    """What is to be done: submissions by student, and (name, why) of files that belong to none."""

    submissions: list[Submission] = field(default_factory=list)
    left: list[tuple[str, str]] = field(default_factory=list)


class _Left(Exception):
    """A submission that is not taken; the message says why."""


def make_plan(
    download: Download,
    forms: Sequence[Form],
    notebooks: Iterable[str],
    *,
    students: Students | None = None,
    zone: tzinfo | None = None,
    now: datetime | None = None,
) -> Plan:
    """Read all names and notebooks of a download, and decide; nothing is written.

    Args:
        forms: the forms that names may have; a name that fits two is left.
        notebooks: the names of the assignment's notebooks, without .ipynb.
        students: who is who; where it is not given the name itself has to give the student id.
        zone: the time zone of stamps that name none (see `read_time`); `now` is for tests.

    Raises:
        ValueError: the names are those of more than one system.
    """
    plan = Plan()
    pieces, unsure = _read_names(download, forms, plan)
    systems = sorted({p.form for _member, p in pieces if p.kind != "aside"})
    if len(systems) > 1:
        text = _("the download has names of more than one system ({names}): say with --from which one it is")
        raise ValueError(text.format(names=", ".join(systems)))
    for member, readings in unsure:
        names = _(" and ").join(p.form for p in readings)
        why = _("the name fits more than one form ({names}); say with --from which one it is").format(names=names)
        mine = [p for p in readings if p.form in systems]
        if mine:  # whoever handed it in: without this file their submission is not whole
            pieces.append((_unreadable(member.path, why), mine[0]))
        else:
            plan.left.append((member.path, why))
    for group in _by_person(pieces, students):
        submission = _Person(group, students, set(notebooks), lambda s: read_time(s, zone, now=now)).decide()
        plan.submissions.append(submission)
    _leave_collisions(plan.submissions)
    plan.submissions.sort(key=lambda s: (s.student.casefold(), s.person))
    return plan


def _read_names(
    download: Download, forms: Sequence[Form], plan: Plan
) -> tuple["Group", list[tuple[Member, list[Piece]]]]:
    """Files with the one reading that their name has, and those with several; what has none is left."""
    pieces: Group = []
    unsure = []
    refused = [(_unreadable(name, why), why) for name, why in download.refused]
    for member, why in [*((m, None) for m in download.members), *refused]:
        read = [piece for form in forms if (piece := form.read(member.path))]
        files = [p for p in read if p.kind != "aside"]
        if why and not (len(files) == 1 and NOTEBOOK.search(files[0].file)):
            plan.left.append((member.path, why))
        elif len(files) > 1:
            unsure.append((member, files))
        elif read:
            pieces.append((member, (files or read)[0]))
        else:
            plan.left.append((member.path, _no_form(forms)))
    return pieces, unsure


def _unreadable(path: str, why: str) -> Member:
    """A file that somebody handed in, and that cannot be taken: what it belongs to is then left as a whole."""

    def read() -> bytes:
        raise Refused(why)

    return Member(path, read)


def _no_form(forms: Sequence[Form]) -> str:
    names = ", ".join(form.name for form in forms)
    return _("the name fits no form that was tried ({names})").format(names=names)


Group = list[tuple[Member, Piece]]


def _by_person(pieces: Group, students: Students | None) -> list[Group]:
    """Files that belong to one person of the download."""
    receipts = _receipts(pieces)
    found: dict[str, Group] = defaultdict(list)
    for member, piece in pieces:
        if piece.form == "blackboard":
            piece = _one_reading(piece, receipts.get(piece.person, set()), students)
        if piece.kind != "aside":
            found[piece.person].append((member, piece))
    # Sakai writes a time for those who handed in nothing as well.
    return [group for group in found.values() if any(piece.kind != "stamp" for _member, piece in group)]


def _receipts(pieces: Group) -> dict[str, set[str]]:
    """The user names in Blackboard's receipts, by the beginning of the receipt's name."""
    found: dict[str, set[str]] = defaultdict(set)
    for member, piece in pieces:
        if piece.kind == "receipt":
            with contextlib.suppress(Refused):
                user = Blackboard.receipt_id(member.read()[:RECEIPT_BYTES].decode("utf-8", errors="replace"))
                found[piece.person] |= {i for i in piece.ids if i == user}
    return found


def _one_reading(piece: Piece, receipt: set[str], students: Students | None) -> Piece:
    """The piece with the one id that its name can have, where that is certain."""
    ids = list(receipt or piece.ids)
    if len(ids) > 1 and students is not None:
        ids = [i for i in ids if students.ids((i,))]
    if len(ids) != 1:
        return dataclasses.replace(piece, names=())
    return dataclasses.replace(piece, person=ids[0], ids=(ids[0],), names=(ids[0],))


def _leave_collisions(submissions: list[Submission]) -> None:
    """Two people of one id: neither is taken."""
    by_id: dict[str, list[Submission]] = defaultdict(list)
    for submission in submissions:
        if submission.student:
            by_id[same(submission.student)].append(submission)
    for group in by_id.values():
        if len(group) > 1:
            people = ", ".join(sorted(s.person for s in group))
            text = _("{n} people of the download would have the student id {id!r} ({people}); tell them apart in a")
            text += " " + _("students file (--students)")
            for submission in group:
                submission.state = "left"
                submission.why = text.format(n=len(group), id=submission.student, people=people)


class _Person:
    """One person's files, on the way to a submission."""

    def __init__(
        self, group: Group, students: Students | None, notebooks: set[str], read_stamp: Callable[[str], Reading]
    ) -> None:
        self.group, self.students, self.notebooks, self.read_stamp = group, students, notebooks, read_stamp
        self.remarks: list[str] = []

    def decide(self) -> Submission:
        first = self.group[0][1]
        submission = Submission("", first.person, remarks=self.remarks)
        try:
            submission.student = self._id(first)
            self._choose(submission)
        except _Left as left:
            submission.state, submission.why = "left", str(left)
            submission.files, submission.digests = {}, {}
        return submission

    def _id(self, piece: Piece) -> str:
        called = {tuple(map(same, p.names or p.ids)) for _member, p in self.group}
        if len(called) > 1:
            text = _("the names of the files contradict each other: {names}")
            raise _Left(text.format(names=_list(_(" and ").join(names) for names in called)))
        named = _(" or ").join(repr(n) for n in piece.names or piece.ids)
        if self.students is not None:
            ids = self.students.ids(piece.names)
            if not ids and len(piece.ids) > 1:
                raise _Left(self._several(piece))
            if not ids:
                raise _Left(_("{names}: not in {file}").format(names=named, file=self.students.source))
            if len(ids) > 1:
                text = _("{names}: {file} names more than one student id: {ids}")
                raise _Left(text.format(names=named, file=self.students.source, ids=", ".join(sorted(ids))))
            return ids.pop()
        if not piece.ids:
            raise _Left(
                _("{names} stands for nobody; name the student in a students file (--students)").format(names=named)
            )
        if len(piece.ids) > 1:
            raise _Left(self._several(piece))
        student = unicodedata.normalize("NFC", "".join(piece.ids))
        why = why_not_an_id(student)
        if why:
            text = _("{id!r} cannot be a student id: {why}; give the student another in a students file (--students)")
            raise _Left(text.format(id=student, why=why))
        return student

    @staticmethod
    def _several(piece: Piece) -> str:
        text = _(
            "the name can be read in several ways, and there is no receipt (.txt) that says which: {ids}; name the"
        )
        return (text + " " + _("student in a students file (--students)")).format(ids=_(" or ").join(piece.ids))

    def _choose(self, submission: Submission) -> None:
        attempts: dict[str, dict[str, str]] = defaultdict(dict)
        readings: dict[str, Reading] = {}
        others = []
        members = {member.path: member for member, _piece in self.group}
        for member, piece in self.group:
            self._remark(member.remark, _("marked as late") if piece.late else None)
            if piece.kind == "stamp":
                readings[""] = self._stamp_file(member)
            elif piece.stamp:
                readings[piece.attempt] = self.read_stamp(piece.stamp)
            if piece.kind == "file" and NOTEBOOK.search(piece.file):
                attempts[piece.attempt][member.path] = piece.file
            elif piece.kind == "file":
                others.append(piece.file)
        if not attempts:
            raise _Left(self._nothing(others))
        if others:
            self._remark(_("not taken, since grading does not use it: {names}").format(names=_list(others)))
        laid = {
            attempt: {name: members[path] for name, path in self._lay(files).items()}
            for attempt, files in attempts.items()
        }
        digests = {attempt: _digests(files) for attempt, files in laid.items()}
        chosen, reading = self._latest(digests, readings)
        if chosen is None:
            submission.state = "ambiguous"
            submission.why = reading.problem or ""
            for number, attempt in enumerate(sorted(laid), start=1):
                submission.files |= {f"attempt-{number}/{name}": m for name, m in laid[attempt].items()}
                submission.digests |= {f"attempt-{number}/{name}": d for name, d in digests[attempt].items()}
            return
        submission.files, submission.digests, submission.moment = laid[chosen], digests[chosen], reading.moment
        self._remark(reading.problem, reading.doubt)
        missed = {name for names in digests.values() for name in names} - set(digests[chosen])
        if missed:
            self._remark(_("an earlier submission also has {names}; it does not count").format(names=_list(missed)))
        elif len(laid) > 1:
            self._remark(_("the latest of {n} submissions").format(n=len(laid)))

    def _stamp_file(self, member: Member) -> Reading:
        try:
            return self.read_stamp(member.read()[:1000].decode("utf-8-sig", errors="replace"))
        except Refused as error:
            return Reading(problem=f"{member.path}: {error}")

    def _remark(self, *texts: str | None) -> None:
        self.remarks += [text for text in texts if text and text not in self.remarks]

    def _nothing(self, others: list[str]) -> str:
        archives = [n for n in others if re.search(r"\.(zip|tar|tgz|gz|7z|rar)$", n, re.IGNORECASE)]
        if archives:
            text = _(
                "no notebook, but an archive: {names}; unpack it into the student's place in the unpacked download"
            )
            return text.format(names=_list(archives))
        if others:
            return _("no notebook among what was handed in: {names}").format(names=_list(others))
        return _("no file was handed in, only text typed into the system, or a receipt")

    def _lay(self, files: dict[str, str]) -> dict[str, str]:
        """Where each notebook of one submission goes → its path in the download."""
        places: dict[str, str] = {}
        for path, file in files.items():
            name = "/".join(p for p in unicodedata.normalize("NFC", file).split("/") if p not in ("", "."))
            why = _why_not_a_file(name)
            if why:
                raise _Left(_("{name!r} cannot be the name of a file: {why}").format(name=file, why=why))
            if any(same(name) == same(other) for other in places):
                raise _Left(_("two of the files would have one name: {name!r}").format(name=name))
            places[name] = path
        return self._without_numbers(places)

    def _without_numbers(self, places: dict[str, str]) -> dict[str, str]:
        """Canvas adds -1, -2 to the name of a file that is handed in again; away with it where that is certain."""
        if self.group[0][1].form != "canvas":
            return places
        plain: dict[str, list[str]] = defaultdict(list)
        for name in places:
            found = re.fullmatch(r"(.+)-[0-9]{1,2}\.ipynb", name)
            numbered = found and found[1] in self.notebooks and name.removesuffix(".ipynb") not in self.notebooks
            plain[f"{found[1]}.ipynb" if found and numbered else name].append(name)
        # Two files for one name: both stay, and grading says that they are ambiguous.
        return {(name if len(of) == 1 else one): places[one] for name, of in plain.items() for one in of}

    def _latest(self, digests: dict[str, dict[str, str]], readings: dict[str, Reading]) -> tuple[str | None, Reading]:
        """The submission that counts with its time, or None with the reason why nobody can tell."""
        read = {attempt: readings.get(attempt, Reading()) for attempt in sorted(digests)}
        if len(read) == 1:
            return next(iter(read.items()))
        moments = {a: r.moment for a, r in read.items() if r.sure and r.moment}
        why = next((r.problem or r.doubt for r in read.values() if not r.sure), None)
        if len(moments) == len(read):
            latest = max(moments.values())
            last = [a for a, moment in moments.items() if moment == latest]
            # Where times are those of single files, an earlier one may hold what the last one does not replace.
            whole = self.group[0][1].form != "pattern" or all(set(d) <= set(digests[last[0]]) for d in digests.values())
            if len(last) == 1 and whole:
                return last[0], read[last[0]]
        text = _("{n} submissions, and no time that says which one counts").format(n=len(read))
        problem = f"{text} ({why})" if why else text
        if len({tuple(sorted(d.items())) for d in digests.values()}) == 1:  # the same again: only the time is not known
            return next(iter(read)), Reading(problem=problem)
        return None, Reading(problem=problem)


def _digests(members: dict[str, Member]) -> dict[str, str]:
    found = {}
    for name, member in members.items():
        try:
            found[name] = hashlib.sha256(member.read()).hexdigest()
        except Refused as error:
            raise _Left(f"{member.path}: {error}") from None
    return found


def _why_not_a_file(name: str) -> str | None:
    """Say why a file that was handed in cannot be written under its name, or None."""
    parts = name.split("/")
    if len(parts) > 3:
        return _("too many folders")
    for part in parts:
        if part.startswith(".") or part.endswith((".", " ")) or part != part.strip():
            return _("a dot or blank at its beginning or end")
        if len(part.encode("utf-8")) > MOST_BYTES_OF_A_NAME:
            return _("too long")
        if re.search(r'[<>:"|?*]', part) or part.split(".")[0].casefold() in RESERVED:
            return _("Windows has no file of that name")
    return None


def _list(names: Iterable[str]) -> str:
    names = sorted(names)
    more = _(" and {n} more").format(n=len(names) - 5) if len(names) > 5 else ""
    return ", ".join(names[:5]) + more
