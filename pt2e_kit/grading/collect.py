"""Find the notebooks of an assignment in what was handed in. Nothing is followed out of the folder."""

import os
import re
import stat
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from nbformat import NotebookNode

from common.i18n import _
from pt2e_kit.grading.names import NOTEBOOK, meant_by
from pt2e_kit.grading.notes import CannotGrade, Note
from pt2e_kit.notebooks import Unreadable, grade_metadata, is_answer, read_notebook, without_hidden, without_solution

MAX_DEPTH = 4
MAX_ENTRIES = 5000
MAX_TOLD = 10
"""So many links, special files and the like are told one by one."""
MAX_COMPARED = 20
"""Of more files that could be one notebook, nobody looks which are the same."""
IGNORED_FOLDERS = {".ipynb_checkpoints", "__pycache__", ".git", "__MACOSX", ".venv", "venv", "node_modules"}
_ARCHIVE = re.compile(r"\.(zip|tar|tgz|gz|bz2|xz|7z|rar|zst)$", re.IGNORECASE)
_INSTEAD = re.compile(r"(\.(py|html?|pdf|md|rst|tex|docx?|txt|json))?$", re.IGNORECASE)
"""What people hand in in the place of a notebook: an export, or a file without its extension."""


@dataclass
class Found:
    """What stands for one notebook of the assignment."""

    name: str
    data: bytes | None = None
    problem: CannotGrade | None = None
    notes: list[Note] = field(default_factory=list)


def collect(folder: Path, wanted: Iterable[str] | Mapping[str, NotebookNode], max_bytes: int) -> list[Found]:
    """Return, for each notebook name in `wanted` (without .ipynb), its bytes or why there are none.

    A notebook may be renamed ("p1 (1).ipynb", "s01_p1.ipynb") or lie in a folder further down. Two files with
    different work that could both be meant are ambiguous: nobody guesses. Where `wanted` holds the instructor's
    notebooks, what stands in a file counts more than its name (swapped names), and a notebook that is as it was handed
    out does not rival one that was worked on. Links, pipes and other special files are noted, not read.
    """
    notebooks = wanted if isinstance(wanted, Mapping) else dict.fromkeys(wanted)
    survey = Survey(folder, list(notebooks))
    claims = _Claims(survey, notebooks, max_bytes)
    found = []
    for name in claims.files:
        entry = Found(name, notes=survey.notes if not found else [])
        _fill(entry, survey, claims, max_bytes)
        found.append(entry)
    return found


def _fill(entry: Found, survey: "Survey", claims: "_Claims", max_bytes: int) -> None:
    files = claims.settled(entry)
    if not files:
        entry.problem = CannotGrade("missing", _why_missing(entry.name, survey))
        return
    contested = [name for name, others in claims.files.items() if name != entry.name and set(files) & set(others)]
    if len(files) > 1 or contested:
        names = ", ".join(sorted(map(survey.shown, files)))
        cause = _("more than one file could be {name}.ipynb: {names}").format(name=entry.name, names=names)
        if len(files) == 1:
            several = ", ".join(f"{n}.ipynb" for n in sorted([entry.name, *contested]))
            cause = _("{file} could be more than one notebook: {names}").format(file=names, names=several)
        entry.problem = CannotGrade("ambiguous", cause)
        return
    (path,) = files
    if path.name != f"{entry.name}.ipynb":
        entry.notes.append(Note("repair", _("the file was renamed: {name}").format(name=survey.shown(path))))
    elif path.parent != survey.folder:
        text = _("the file was in a folder further down: {name}").format(name=survey.shown(path))
        entry.notes.append(Note("repair", text))
    try:
        entry.data = read_plain_file(path, max_bytes)
    except OSError as error:
        cause = _("{name} cannot be read: {e}").format(name=survey.shown(path), e=error.strerror or error)
        entry.problem = CannotGrade("unreadable", cause)


def _why_missing(name: str, survey: "Survey") -> str:
    cause = _("no notebook {name}.ipynb was handed in").format(name=name)
    if survey.special:
        cause += " " + _("(links and special files are not followed)")
    unclaimed = [survey.shown(f) for f in survey.notebooks if not meant_by(f.name, survey.wanted)]
    instead = survey.instead + unclaimed
    if instead:
        names = ", ".join(instead[:MAX_TOLD])
        cause += "; " + _("what is there instead is not graded: {names}").format(names=names)
        cause += ". " + _("To grade it, put the notebook under its own name into the student's folder")
    return cause


def shown(path: Path) -> str:
    """Return a file name from a submission so that it is safe to print."""
    return re.sub(r"[^\w .,()+@=/~–—-]", "?", unicodedata.normalize("NFC", str(path)))[:120]


def read_plain_file(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file; never follows a link, waits for a pipe, or reads more than `max_bytes`.

    Raises:
        OSError: it is something else, too large, not readable, or changes while it is read.
    """
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(handle, "rb") as file:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(0, _("it is not a plain file"))
        data = file.read(max_bytes + 1) if before.st_size <= max_bytes else b""
        after = os.fstat(handle)
    if max(before.st_size, len(data)) > max_bytes:
        text = _("it is larger than {n} MiB; without the outputs of its cells it may be smaller")
        raise OSError(0, text.format(n=max_bytes // 2**20))
    if (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        raise OSError(0, _("it was being written while it was read; grade it again"))
    return data


class Survey:
    """What lies in a submission's folder: `notebooks`, other plain `files`, and `notes` on what was not looked at."""

    def __init__(self, folder: Path, wanted: list[str]) -> None:
        self.folder, self.wanted = folder, wanted
        self.notebooks: list[Path] = []
        self.files: list[Path] = []
        self.notes: list[Note] = []
        self.instead: list[str] = []
        """What may have been meant to be a notebook, in words."""
        self.special = False
        self._entries = 0
        self._untold = 0
        self._look(folder, 0)
        if self._entries > MAX_ENTRIES:
            text = _("there are more than {n} files; the rest was not looked at").format(n=MAX_ENTRIES)
            self.notes.append(Note("limit", text))
        if self._untold:
            text = _("{n} more such files and folders are not named here").format(n=self._untold)
            self.notes.append(Note("suspicion", text))

    def shown(self, path: str | Path) -> str:
        """Return the place of a file in the submission so that it is safe to print."""
        return shown(Path(path).relative_to(self.folder))

    def _tell(self, kind: str, text: str, path: str | Path) -> None:
        if len(self.notes) < MAX_TOLD:
            self.notes.append(Note(kind, text.format(name=self.shown(path))))  # type: ignore[arg-type]
        else:
            self._untold += 1

    def _look(self, folder: Path, depth: int) -> None:
        try:
            with os.scandir(folder) as scanned:
                entries = sorted(scanned, key=lambda e: e.name)
        except FileNotFoundError:
            return
        except OSError:
            self._tell("limit", _("a folder cannot be opened: {name}"), folder)
            return
        for entry in entries:
            self._entries += 1
            if self._entries > MAX_ENTRIES:
                return
            if entry.is_dir(follow_symlinks=False):
                self._look_into(entry, depth)
            else:
                self._look_at(entry)

    def _look_into(self, entry: "os.DirEntry[str]", depth: int) -> None:
        if entry.name == ".ipynb_checkpoints":
            saved = [p for p in Path(entry.path).glob("*.ipynb") if not p.is_symlink()]
            self.instead += [_("{name} (saved by Jupyter on its own)").format(name=self.shown(p)) for p in saved]
        elif entry.name not in IGNORED_FOLDERS:
            if depth < MAX_DEPTH:
                self._look(Path(entry.path), depth + 1)
            else:
                self._tell("limit", _("a folder too far down was not looked into: {name}"), entry.path)

    def _look_at(self, entry: "os.DirEntry[str]") -> None:
        notebook = bool(NOTEBOOK.search(entry.name)) and not entry.name.startswith(".")
        if entry.is_symlink():
            self.special = True
            self._tell("suspicion", _("a link was not followed: {name}"), entry.path)
        elif notebook and entry.is_file(follow_symlinks=False):
            self.notebooks.append(Path(entry.path))
        elif notebook:
            self.special = True
            self._tell("suspicion", _("{name} is not a plain file"), entry.path)
        else:
            if entry.is_file(follow_symlinks=False):
                self.files.append(Path(entry.path))
            self._look_at_other(entry)

    def _look_at_other(self, entry: "os.DirEntry[str]") -> None:
        if _ARCHIVE.search(entry.name):
            self.instead.append(_("{name} (an archive; it has to be unpacked)").format(name=self.shown(entry.path)))
            if meant_by(_ARCHIVE.sub("", entry.name), self.wanted):
                self._tell("limit", _("an archive was not opened: {name}"), entry.path)
        elif self._stands_instead(entry.name):
            self.instead.append(self.shown(entry.path))

    def _stands_instead(self, name: str) -> bool:
        """Whether it is an export or a remnant of a notebook of ours: p1.html, p1.ipynb.crdownload, .p1.ipynb.icloud."""
        if ".ipynb" in name.casefold():
            return not name.startswith("._")
        return bool(meant_by(_INSTEAD.sub("", name, count=1), self.wanted))


class _Claims:
    """Which files could be which notebook: by name, and by what stands in them where we know the instructor's."""

    def __init__(self, survey: Survey, wanted: Mapping[str, NotebookNode | None], max_bytes: int) -> None:
        self._survey, self._wanted, self._max_bytes = survey, wanted, max_bytes
        self._read: dict[Path, NotebookNode | None] = {}
        self.files: dict[str, list[Path]] = {name: [] for name in wanted}
        unclaimed = []
        for file in survey.notebooks:
            names = self._by_content(file, meant_by(file.name, wanted))
            for name in names:
                self.files[name].append(file)
            if not names:
                unclaimed.append(file)
        (first, *others) = self.files
        if not others and not self.files[first]:
            self.files[first] = unclaimed  # one notebook wanted: its name does not matter

    def _by_content(self, file: Path, named: list[str]) -> list[str]:
        """The notebooks whose grade ids stand in the file, where only those of one do; else those that it is named."""
        ids = {name: _grade_ids(notebook) for name, notebook in self._wanted.items() if notebook is not None}
        if len(ids) < 2:
            return named
        notebook = self._notebook(file)
        mine = _grade_ids(notebook) if notebook else set()
        fits = [name for name, theirs in ids.items() if mine & theirs]
        return fits if len(fits) == 1 and (len(named) != 1 or not mine & ids[named[0]]) else named

    def settled(self, entry: Found) -> list[Path]:
        """The files for one notebook, without those that do not rival the others: empty, untouched, the same."""
        files = sorted(self.files[entry.name], key=lambda f: (f.name != f"{entry.name}.ipynb", len(f.parts), f))
        if len(files) > MAX_COMPARED:
            return files
        if len(files) > 1:
            files = self._without(files, self._is_empty, _("a file is empty; it was left out: {name}"), entry)
        if len(files) > 1:
            text = _("a file is as it was handed out; it was left out: {name}")
            files = self._without(files, lambda f: self._is_untouched(f, entry.name), text, entry)
        if len(files) > 1 and len({self._work(f) for f in files}) == 1:
            names = ", ".join(map(self._survey.shown, files[1:]))
            text = _("{first} and these hold the same: {names}").format(first=self._survey.shown(files[0]), names=names)
            entry.notes.append(Note("repair", text))
            files = files[:1]
        self.files[entry.name] = files
        return files

    def _without(self, files: list[Path], test: Callable[[Path], bool], text: str, entry: Found) -> list[Path]:
        left_out = [f for f in files if test(f)]
        if len(left_out) == len(files):
            return files
        entry.notes += [Note("repair", text.format(name=self._survey.shown(f))) for f in left_out]
        return [f for f in files if f not in left_out]

    def _notebook(self, file: Path) -> NotebookNode | None:
        if file not in self._read:
            try:
                self._read[file] = read_notebook(read_plain_file(file, self._max_bytes))
            except (OSError, Unreadable):
                self._read[file] = None
        return self._read[file]

    def _is_empty(self, file: Path) -> bool:
        try:
            return not read_plain_file(file, self._max_bytes).strip(b"\0\t\r\n ")
        except OSError:
            return False

    def _is_untouched(self, file: Path, name: str) -> bool:
        instructor, notebook = self._wanted[name], self._notebook(file)
        if instructor is None or notebook is None:
            return False
        released = {_released(cell).strip() for cell in instructor.cells} | {""}
        return all(cell.source.strip() in released for cell in notebook.cells)

    def _work(self, file: Path) -> object:
        """What makes a difference for grading: kinds and sources of the cells; of no notebook, its bytes."""
        notebook = self._notebook(file)
        if notebook is not None:
            cells = [c for c in notebook.cells if c.source.strip()]
            return tuple((c.cell_type, c.source, grade_metadata(c).get("grade_id")) for c in cells)
        try:
            return read_plain_file(file, self._max_bytes)
        except OSError:
            return file  # like no other


def _released(cell: NotebookNode) -> str:
    return without_solution(cell.source, cell.cell_type) if is_answer(cell) else without_hidden(cell.source)


def _grade_ids(notebook: NotebookNode) -> set[str]:
    return {grade_metadata(c)["grade_id"] for c in notebook.cells if grade_metadata(c)}
