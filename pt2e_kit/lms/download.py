"""Read a download (zip, tar, tar.gz, folder) as if its maker meant harm. Nothing is unpacked: members are read one by one.

Refused, and said: paths that lead out, links and devices, names twice, names that cannot be read or shown, files that
are too large or unpack to far more than they are, and archives of too many files or bytes.
"""

import contextlib
import gzip
import lzma
import os
import stat
import tarfile
import unicodedata
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from common.i18n import _
from pt2e_kit.grading.collect import IGNORED_FOLDERS, read_plain_file
from pt2e_kit.lms.students import same
from pt2e_kit.settings import DEFAULT_LIMITS

IGNORED_FILES = {".DS_Store", "Thumbs.db", "desktop.ini"}
SHOWN = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
"""Unicode categories that no file name needs: controls, what cannot be seen, and what turns the direction of text."""


@dataclass(frozen=True)
class DownloadLimits:
    """How much a download may hold."""

    files: int = 50_000
    file_bytes: int = DEFAULT_LIMITS.notebook_bytes
    total_bytes: int = 8 * 2**30
    """All files together, unpacked."""
    ratio: int = 200
    """A file that unpacks to more than so many times its size is refused, where it is larger than `ratio_from`."""
    ratio_from: int = 2**20
    path_letters: int = 500
    depth: int = 12


class Refused(Exception):
    """A member that is not read; the message says why."""


@dataclass(frozen=True)
class Member:
    """A file in a download. `read` returns its bytes, or raises Refused."""

    path: str
    read: Callable[[], bytes]
    remark: str | None = None


@dataclass(frozen=True)
class Download:
    """The files of a download in its order, and what was refused: (name, why)."""

    members: list[Member]
    refused: list[tuple[str, str]]


@contextlib.contextmanager
def open_download(path: Path, limits: DownloadLimits | None = None) -> Iterator[Download]:
    """Look into a download; its members can be read while it is open.

    Raises:
        FileNotFoundError: there is nothing of that name.
        ValueError: it is neither a folder nor a zip, tar or tar.gz that can be opened, or holds too much.
    """
    limits = limits or DownloadLimits()
    if path.is_dir():
        try:
            download = _sorted_out(_in_folder(path, limits), limits)
        except Refused as error:
            raise ValueError(f"{path}: {error}") from None
        yield download
        return
    head = _head(path)
    with contextlib.ExitStack() as stack:
        try:
            if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
                archive = stack.enter_context(zipfile.ZipFile(path))
                _check_number(path, len(archive.infolist()))
                found = _in_zip(archive, limits)
            else:
                opener: Any = gzip.open if head.startswith(b"\x1f\x8b") else Path.open
                careful: Any = _Careful(stack.enter_context(opener(path, "rb")))
                found = _in_tar(stack.enter_context(tarfile.open(fileobj=careful, mode="r:")), limits)
            download = _sorted_out(found, limits)
        except (*DAMAGED, Refused) as error:
            text = _("{path} cannot be opened as zip, tar or tar.gz: {e}; unpack it yourself, and give the folder")
            raise ValueError(text.format(path=path, e=error)) from None
        yield download


def _head(path: Path) -> bytes:
    if not path.exists():
        raise FileNotFoundError(2, _("there is no such file or folder"), str(path))
    if not path.is_file():
        raise ValueError(_("{path} is neither a file nor a folder").format(path=path))
    with path.open("rb") as file:
        return file.read(4)


DAMAGED = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    OSError,
    NotImplementedError,
    RuntimeError,
    ValueError,
    UnicodeError,
)
"""What reading a damaged, encrypted or unknown archive raises."""


@dataclass(frozen=True)
class _Raw:
    """An entry as it is found: its name, why it is not taken (if so), and how to read it."""

    name: str
    why_not: str | None
    size: int
    read: Callable[[], bytes]
    remark: str | None = None


def _sorted_out(found: Iterator[_Raw], limits: DownloadLimits) -> Download:
    members: list[Member] = []
    refused: list[tuple[str, str]] = []
    total = 0
    for number, raw in enumerate(found):
        total += max(0, raw.size)
        if number >= limits.files:
            raise Refused(_("it holds more than {n} files").format(n=limits.files))
        if total > limits.total_bytes:
            raise Refused(_("it holds more than {n} MiB").format(n=limits.total_bytes // 2**20))
        parts = [p for p in raw.name.split("/") if p not in ("", ".")]
        if set(parts) & IGNORED_FOLDERS or (parts and parts[-1] in IGNORED_FILES):
            continue
        why = raw.why_not or why_not_a_path(raw.name, limits)
        if why is None and raw.size > limits.file_bytes:
            why = _("larger than {n} MiB").format(n=limits.file_bytes // 2**20)
        if why:
            refused.append((raw.name, why))
        else:
            members.append(Member("/".join(parts), raw.read, raw.remark))
    # Twice in an archive, or the same on a disk that knows no case: which one is meant?
    times = Counter(same(m.path) for m in members)
    why = _("this name is there more than once")
    refused += [(m.path, why) for m in members if times[same(m.path)] > 1]
    return Download([m for m in members if times[same(m.path)] == 1], refused)


def why_not_a_path(name: str, limits: DownloadLimits | None = None) -> str | None:
    """Say why a name in a download is not taken for a path, or None."""
    limits = limits or DownloadLimits()
    parts = name.split("/")
    if name.startswith("/") or (len(name) > 1 and name[1] == ":" and name[0].isalpha()):
        return _("its path is absolute")
    if ".." in parts:
        return _("its path leads out of the download")
    if "\\" in name:
        return _("there is a backslash in its name")
    if any(unicodedata.category(c) in SHOWN for c in name):
        return _("there are characters in its name that cannot be shown")
    if len(name) > limits.path_letters or len(parts) > limits.depth:
        return _("its path is too long")
    return None if name.strip("/. ") else _("it has no name")


def _check_number(path: Path, found: int) -> None:
    """A damaged list of a zip's files can be shorter than it was, which zipfile does not notice."""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2**16 - 22))
        end = file.read()
    end = end[end.rfind(b"PK\x05\x06") :]
    number = int.from_bytes(end[10:12], "little")
    if number not in (found, 2**16 - 1):  # the last stands for: more than fits here
        raise Refused(_("it says that it holds {n} files, and lists {m}").format(n=number, m=found))


def _in_zip(archive: zipfile.ZipFile, limits: DownloadLimits) -> Iterator[_Raw]:
    for info in archive.infolist():
        if info.orig_filename.endswith("/"):
            continue
        name, why, remark = _zip_name(info)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if kind not in (0, stat.S_IFREG):
            why = _("it is a link or a special file")
        elif info.flag_bits & 1:
            why = _("it is encrypted")
        elif info.file_size > limits.ratio_from and info.file_size > limits.ratio * max(1, info.compress_size):
            why = _("it unpacks to more than {n} times its size").format(n=limits.ratio)

        def read(info: zipfile.ZipInfo = info) -> bytes:
            return _read_some(lambda: archive.open(info), limits.file_bytes)

        yield _Raw(name, why, info.file_size, read, remark)


def _zip_name(info: zipfile.ZipInfo) -> tuple[str, str | None, str | None]:
    """A name in a zip, why it is not taken, and a remark. Old programs do not say in which encoding names are."""
    name = info.orig_filename
    if info.flag_bits & 0x800 or name.isascii():
        return name, None, None
    try:
        decoded = name.encode("cp437").decode("utf-8")
    except UnicodeError:
        why = _(
            "the encoding of its name is not known; unpack the archive with your system's program, and give the folder"
        )
        return name, why, None
    # Text in another encoding that happens to be UTF-8 throughout does not occur.
    return decoded, None, _("its name was read as UTF-8, which the archive does not say")


def _in_tar(archive: tarfile.TarFile, limits: DownloadLimits) -> Iterator[_Raw]:
    for info in archive:
        if info.size < 0:  # tarfile would go back, and read it for ever
            raise Refused(_("it is damaged"))
        if info.isdir():
            continue
        why = None if info.isreg() else _("it is a link or a special file")

        def read(info: tarfile.TarInfo = info) -> bytes:
            return _read_some(lambda: archive.extractfile(info), limits.file_bytes)

        yield _Raw(info.name, why, info.size, read)
    # tarfile takes a damaged header for the end, and needs none; a whole archive ends with blocks of zeros.
    assert archive.fileobj is not None
    archive.fileobj.seek(archive.offset)
    if archive.fileobj.read(tarfile.BLOCKSIZE) != bytes(tarfile.BLOCKSIZE):
        raise Refused(_("it is damaged or cut off"))


def _in_folder(top: Path, limits: DownloadLimits) -> Iterator[_Raw]:
    waiting = [(top, "")]
    while waiting:
        folder, before = waiting.pop()
        for entry in sorted(os.scandir(folder), key=lambda e: e.name):
            name = before + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name not in IGNORED_FOLDERS:
                    waiting.append((Path(entry.path), name + "/"))
                continue
            plain = entry.is_file(follow_symlinks=False)

            def read(path: str = entry.path) -> bytes:
                return _damage_in_words(lambda: read_plain_file(Path(path), limits.file_bytes))

            size = entry.stat(follow_symlinks=False).st_size if plain else 0
            yield _Raw(name, None if plain else _("it is a link or a special file"), size, read)


def _read_some(opened: Callable[[], IO[bytes] | None], most: int) -> bytes:
    """All bytes of a member. Its size was looked at; without a number zipfile would unpack far more, and cut it."""

    def read() -> bytes:
        file = opened()
        if file is None:
            raise Refused(_("it is a link or a special file"))
        with file:
            return file.read(most + 1)

    return _damage_in_words(read)


def _damage_in_words(read: Callable[[], bytes]) -> bytes:
    try:
        return read()
    except DAMAGED as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise Refused(_("it is damaged or cannot be read: {e}").format(e=reason)) from None


class _Careful:
    """A stream for tarfile, which would read a header of any size into memory."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        """Read no more than 64 MiB at once."""
        if not 0 <= size <= 64 * 2**20:
            raise Refused(_("a header in it is too large"))
        return self._file.read(size)

    def seek(self, place: int, whence: int = 0) -> int:
        """Go to a place; sizes are looked at before anything is leapt over."""
        return self._file.seek(place, whence)

    def tell(self) -> int:
        """The place in the unpacked stream."""
        return self._file.tell()
