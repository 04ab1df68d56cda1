"""What the names in a download say: whose file it is, and when it was handed in. One class for each system.

The forms are those that the systems' own source code or documentation gives. A name fits a form or it does not;
which form is meant where a name fits two is for the caller to report.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from common.i18n import _

Kind = Literal["file", "text", "receipt", "stamp", "aside"]
"""A file that was handed in; text typed into the system; Blackboard's receipt; Sakai's time stamp; the system's own."""

NOTEBOOK = re.compile(r"\.ipynb(\.(txt|json))?$", re.IGNORECASE)
"""As grading looks for them: some browsers save a notebook as p1.ipynb.txt or p1.ipynb.json."""


@dataclass(frozen=True)
class Piece:
    """What a name says.

    `person` tells the people of one download apart. `ids` are the student ids that the name can be read to give:
    none where it gives only a name that is not unique in itself, several where it can be read in several ways.
    `names` is what a students file may call the person. `attempt` tells one person's submissions apart.
    """

    form: str
    kind: Kind
    person: str
    ids: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    file: str = ""
    attempt: str = ""
    stamp: str | None = None
    late: bool = False


class Form(Protocol):
    """The names that one system gives to files."""

    name: str
    """As the option `--from` takes it."""

    def read(self, path: str) -> Piece | None:
        """Return what the path of a file in a download says (with `/`), or None where it does not fit."""
        ...


class Moodle:
    """`First Last_123456_assignsubmission_file_/p1.ipynb`, or flat: `First Last_123456_assignsubmission_file_p1.ipynb`.

    The number is Moodle's for one assignment only: the same student has another one in the next. So the student id
    is the full name where there is no students file; two students of one name are then left.
    """

    name = "moodle"
    _head = r"(?P<name>[^_/]+)_(?P<number>\d+)_assignsubmission_(?P<plugin>[a-z]+)"
    _folder = re.compile(rf"(?:^|.*?/){_head}_?/(?P<file>.+)", re.ASCII)
    _flat = re.compile(rf"(?:^|.*/){_head}_(?P<file>[^/]+)", re.ASCII)

    def read(self, path: str) -> Piece | None:
        """See Form."""
        found = self._folder.fullmatch(path) or self._flat.fullmatch(path)
        if found is None:
            return None
        name, number = " ".join(found["name"].split()), found["number"]
        kind = "file" if found["plugin"] == "file" else "text"
        # With anonymous submissions everybody is "Participant".
        ids, names = ((), (number,)) if name == "Participant" else ((name,), (number, name))
        return Piece(self.name, kind, number, ids, names, found["file"])


class Canvas:
    """`lovelaceada_12345_67890_p1.ipynb`, `lovelaceada_LATE_12345_67890_p1.ipynb`; the first number is the student's."""

    name = "canvas"
    _anonymous = re.compile(r"(?:.*/)?(?P<late>LATE_)?(?P<id>anon_[A-Za-z0-9]{5})_\d+_(?P<file>[^/]+)")
    _upload = re.compile(r"(?:.*/)?(?P<name>[^/]+?)(?P<late>_LATE|_late)?_(?P<id>[0-9]+)_[0-9]+_(?P<file>[^/]+)")
    _typed = re.compile(r"(?:.*/)?(?P<name>[^/]+?)(?P<late>_LATE|_late)?_(?P<id>[0-9]+)_(?P<file>(?:text|link)\.html)")

    def read(self, path: str) -> Piece | None:
        """See Form."""
        found = self._anonymous.fullmatch(path)
        if found:  # such an id holds for one assignment, and names nobody
            late = bool(found["late"])
            return Piece(self.name, "file", found["id"], names=(found["id"],), file=found["file"], late=late)
        for form, kind in ((self._upload, "file"), (self._typed, "text")):
            found = form.fullmatch(path)
            # Canvas takes numbers between underscores, and all but word characters, out of names.
            if found and re.fullmatch(r"[\w-]+", found["name"]) and not re.search(r"_\d+_", found["name"] + "_"):
                number, late = found["id"], bool(found["late"])
                names = (number, found["name"])
                return Piece(self.name, kind, number, (number,), names, found["file"], late=late)  # type: ignore[arg-type]
        return None


class Blackboard:
    """`Homework 1_ada_attempt_2026-01-10-23-30-10_p1.ipynb`, and a receipt of that name without `_p1.ipynb`.

    Assignments and user names may both hold `_`, so that a name can have several readings; the receipt says which.
    """

    name = "blackboard"
    _stamp = r"[0-9]{4}(?:-[0-9]{2}){5}"
    _form = re.compile(rf"(?:.*/)?(?P<head>[^/]+?)_attempt_(?P<stamp>{_stamp})(?:_(?P<file>[^/]+)|\.txt)")

    def read(self, path: str) -> Piece | None:
        """See Form. Without its receipt a name may have several ids; `receipt_id` reads one."""
        found = self._form.fullmatch(path)
        if found is None or "_" not in found["head"].strip("_"):
            return None
        pieces = found["head"].split("_")
        ids = tuple("_".join(pieces[i:]) for i in range(1, len(pieces)) if pieces[i] and any(pieces[:i]))
        kind = "file" if found["file"] else "receipt"
        return Piece(
            self.name, kind, found["head"], ids, ids, found["file"] or "", found["stamp"], stamp=found["stamp"]
        )

    @staticmethod
    def receipt_id(text: str) -> str | None:
        """Return the user name in a receipt, whose first line is `Name: Ada Lovelace (ada)`."""
        lines = text.lstrip("\ufeff").splitlines()
        found = re.fullmatch(r"Name: .*\(([^()]+)\)\s*", lines[0]) if lines else None
        return found[1] if found else None


class Sakai:
    """`Homework 1/Lovelace, Ada(ada)/Submission attachment(s)/p1.ipynb`, with `timestamp.txt` in the student's folder."""

    name = "sakai"
    _student = r"(?:^|.*?/)(?P<name>[^/]+?)\((?P<id>[^()/]+)\)"
    _file = re.compile(rf"{_student}[/_]Submission attachment\(s\)[/_](?P<file>.+)")
    _other = re.compile(
        rf"{_student}[/_](?:(?P<stamp>timestamp\.txt)|(?P<text>[^/]*submissionText\.html)|comments\.txt"
        r"|[^/]*feedbackText\.html|Feedback Attachment\(s\)[/_].*)"
    )
    _grades = re.compile(r"(?:.*/)?grades\.(?:csv|xlsx?)")

    def read(self, path: str) -> Piece | None:
        """See Form."""
        found = self._file.fullmatch(path)
        if found:
            return Piece(self.name, "file", found["id"], (found["id"],), (found["id"],), found["file"])
        found = self._other.fullmatch(path)
        if found:
            kind = "stamp" if found["stamp"] else "text" if found["text"] else "aside"
            return Piece(self.name, kind, found["id"], (found["id"],), (found["id"],))
        return Piece(self.name, "aside", "") if self._grades.fullmatch(path) else None


class Ilias:
    """`Homework 1/Abgaben/Lovelace_Ada_ada_1234/p1.ipynb`; never tried by itself, since other folders look like it."""

    name = "ilias"
    _file = re.compile(r"(?:^|.*?/)[^_/]+_[^_/]+_(?P<login>[^_/]+)_(?P<number>[0-9]+)/(?P<file>.+)")
    _status = re.compile(r"(?:[^/]+/)?[^/]+\.xlsx?")

    def read(self, path: str) -> Piece | None:
        """See Form."""
        found = self._file.fullmatch(path)
        if found:
            login, number = found["login"], found["number"]
            return Piece(self.name, "file", number, (login,), (login, number), found["file"])
        return Piece(self.name, "aside", "") if self._status.fullmatch(path) else None


class Pattern:
    """A regular expression of the instructor's, as nbgrader's FileNameCollectorPlugin takes it.

    It must have the named groups `student_id` and `file_id`, and may have `timestamp`. It has to match at the
    beginning of the path in the download; the ending is added to `file_id` where it has none.
    """

    name = "pattern"

    def __init__(self, expression: str) -> None:
        """Raises ValueError where this is no regular expression, or a group is missing."""
        try:
            self._form = re.compile(expression)
        except re.error as error:
            raise ValueError(
                _("--from: this is no regular expression ({e}): {x}").format(e=error, x=expression)
            ) from None
        missing = {"student_id", "file_id"} - set(self._form.groupindex)
        if missing:
            text = _("--from: the regular expression needs the named group {names}, as in (?P<student_id>[a-z0-9]+)")
            raise ValueError(text.format(names=" and ".join(sorted(missing))))

    def read(self, path: str) -> Piece | None:
        """See Form."""
        found = self._form.match(path)
        group = found.groupdict() if found else {}
        student, file, stamp = group.get("student_id"), group.get("file_id"), group.get("timestamp")
        if not student or not file:
            return None
        ending = re.search(r"\.[A-Za-z0-9]+$", path)
        if ending and not file.lower().endswith(ending[0].lower()):
            file += ending[0]
        return Piece(self.name, "file", student, (student,), (student,), file, stamp or "", stamp or None)


def forms(chosen: str) -> Sequence[Form]:
    """Return the forms that `--from` asks for: a system's name, `auto`, or a regular expression with named groups.

    Raises:
        ValueError: it is none of these.
    """
    tried: list[Form] = [Moodle(), Canvas(), Blackboard(), Sakai()]
    if chosen == "auto":
        return tried
    named = [form for form in (*tried, Ilias()) if form.name == chosen]
    if named:
        return named
    if "(?P<" in chosen:
        return [Pattern(chosen)]
    text = _(
        "--from: {chosen!r} is none of auto, moodle, canvas, blackboard, sakai, ilias, and no regular expression with "
        "the named groups student_id and file_id"
    )
    raise ValueError(text.format(chosen=chosen))
