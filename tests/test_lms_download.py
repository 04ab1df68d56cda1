"""Hostile and damaged downloads: nothing leads out, nothing is too large, and what is refused is said."""

import gzip
import os
import stat
import tarfile
import zipfile
from datetime import UTC
from pathlib import Path

import pytest
from commands import tree
from lms_kit import (
    MOODLE,
    NOW,
    ONE,
    TWO,
    Files,
    attempts,
    bring,
    lay,
    make_course,
    outcomes,
    pack,
    pack_tar,
    plan_of,
    taken,
    why,
)

from pt2e_kit.lms.download import DownloadLimits, open_download
from pt2e_kit.lms.names import forms
from pt2e_kit.lms.plan import make_plan

# ---------------------------------------------------------------- hostile archives

ADA = "Ada Lovelace_101_assignsubmission_file_"


def looked_into(path: Path, **limits: int) -> tuple[list[str], dict[str, str]]:
    with open_download(path, DownloadLimits(**limits)) as download:
        return [m.path for m in download.members], dict(download.refused)


HOSTILE_NAMES = {
    "/etc/p1.ipynb": "absolute",
    "C:/p1.ipynb": "absolute",
    f"../{ADA}/p1.ipynb": "leads out",
    f"{ADA}/../../../p1.ipynb": "leads out",
    f"{ADA}\\..\\p1.ipynb": "backslash",
    f"{ADA}/p1\x1b[2J.ipynb": "cannot be shown",
    f"{ADA}/p1\u202e.ipynb": "cannot be shown",
    f"{ADA}/p1\n.ipynb": "cannot be shown",
    f"{ADA}/{'x/' * 20}p1.ipynb": "too long",
    f"{ADA}/{'x' * 500}.ipynb": "too long",
}


@pytest.mark.parametrize("name", HOSTILE_NAMES)
@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_hostile_names(tmp_path: Path, name: str, kind: str) -> None:
    make = pack if kind == "zip" else pack_tar
    archive = make(tmp_path / f"download.{kind}", {name: ONE, f"{ADA}/p2.ipynb": TWO})
    members, refused = looked_into(archive)
    assert members == [f"{ADA}/p2.ipynb"]
    assert list(refused) == [name] and HOSTILE_NAMES[name] in refused[name]
    course = make_course(tmp_path / "course")
    before = tree(tmp_path)
    bring(course, archive)
    written = {n for n in tree(tmp_path) if n not in before} - {"course/submitted/.collecting.lock"}
    assert all(n.startswith("course/submitted/Ada Lovelace/a1/") for n in written)


def test_a_refused_notebook_leaves_its_whole_submission(tmp_path: Path) -> None:
    """Else an older attempt would be graded in the place of the one that was refused."""
    files = attempts("2026-01-10-23-30-10", "2026-01-11-23-30-10", data=(ONE, TWO + b" " * 2**21))
    archive = pack(tmp_path / "download.zip", files)
    with open_download(archive, DownloadLimits(file_bytes=2**20, ratio=5000)) as download:
        plan = make_plan(download, forms("auto"), ["p1"], zone=UTC, now=NOW)
    assert not taken(plan) and "larger than 1 MiB" in why(plan)


def test_names_twice_in_a_zip(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "w") as archive:
        for data in (ONE, TWO):
            archive.writestr(f"{ADA}/p1.ipynb", data)
        archive.writestr(f"{ADA}/P2.ipynb", ONE)
        archive.writestr(f"{ADA}/p2.IPYNB", ONE)
        archive.writestr("Bob_102_assignsubmission_file_/p1.ipynb", ONE)
    members, refused = looked_into(path)
    assert members == ["Bob_102_assignsubmission_file_/p1.ipynb"]
    assert set(refused.values()) == {"this name is there more than once"} and len(refused) == 3


def test_links_and_special_files(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, mode in (
            ("link", stat.S_IFLNK),
            ("pipe", stat.S_IFIFO),
            ("device", stat.S_IFCHR),
            ("plain", stat.S_IFREG),
        ):
            info = zipfile.ZipInfo(f"{ADA}/{name}.ipynb")
            info.external_attr = (mode | 0o644) << 16
            archive.writestr(info, "/etc/passwd")
    members, refused = looked_into(path)
    assert members == [f"{ADA}/plain.ipynb"] and set(refused.values()) == {"it is a link or a special file"}

    infos = []
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE):
        info = tarfile.TarInfo(f"{ADA}/{kind.decode()}.ipynb")
        info.type, info.linkname = kind, "/etc/passwd"
        infos.append(info)
    members, refused = looked_into(pack_tar(tmp_path / "download.tar", {f"./{ADA}/p1.ipynb": ONE}, *infos))
    assert members == [f"{ADA}/p1.ipynb"] and len(refused) == 5

    folder = lay(tmp_path / "folder", {f"{ADA}/p1.ipynb": ONE})
    (tmp_path / "secret.ipynb").write_text("secret")
    (folder / ADA / "link.ipynb").symlink_to(tmp_path / "secret.ipynb")
    (folder / "Bob_102_assignsubmission_file_").symlink_to(tmp_path)
    os.mkfifo(folder / ADA / "pipe.ipynb")
    members, refused = looked_into(folder)
    assert members == [f"{ADA}/p1.ipynb"]
    assert set(refused) == {f"{ADA}/link.ipynb", f"{ADA}/pipe.ipynb", "Bob_102_assignsubmission_file_"}


def test_zip_bombs(tmp_path: Path) -> None:
    bomb = pack(tmp_path / "bomb.zip", {f"{ADA}/p1.ipynb": b" " * 2**22})
    assert "more than 200 times" in looked_into(bomb)[1][f"{ADA}/p1.ipynb"]
    assert "larger than 1 MiB" in looked_into(bomb, ratio=5000, file_bytes=2**20)[1][f"{ADA}/p1.ipynb"]
    many = pack(tmp_path / "many.zip", {f"{ADA}/{n}.ipynb": b"x" for n in range(20)})
    with pytest.raises(ValueError, match="more than 10 files"):
        looked_into(many, files=10)
    large = pack(tmp_path / "large.zip", {f"{ADA}/{n}.ipynb": os.urandom(2**19) for n in range(5)})
    with pytest.raises(ValueError, match="more than 2 MiB"):
        looked_into(large, total_bytes=2**21)
    folder = lay(tmp_path / "folder", {f"{n}.ipynb": b"x" for n in range(20)})
    with pytest.raises(ValueError, match="more than 10 files"):
        looked_into(folder, files=10)


def test_a_header_that_lies_about_the_size(tmp_path: Path) -> None:
    path = pack(tmp_path / "download.zip", {f"{ADA}/p1.ipynb": b"x" * 5000})
    data = path.read_bytes()
    assert data.count((5000).to_bytes(4, "little")) == 2
    path.write_bytes(data.replace((5000).to_bytes(4, "little"), (100).to_bytes(4, "little")))
    with open_download(path) as download:
        plan = make_plan(download, forms("auto"), ["p1"], now=NOW)
    assert not taken(plan) and "damaged" in why(plan)


def test_tar_bombs(tmp_path: Path) -> None:
    """The body of the large file is not there: whoever went to read or leap over it would fail otherwise."""
    info = tarfile.TarInfo(f"{ADA}/p1.ipynb")
    info.size = 2**40
    (tmp_path / "a.tar").write_bytes(info.tobuf())
    with pytest.raises(ValueError, match="holds more than 8192 MiB"):
        looked_into(tmp_path / "a.tar")
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, 2**30
    with gzip.open(tmp_path / "b.tar.gz", "wb") as file:
        file.write(header.tobuf())
    with pytest.raises(ValueError, match="a header in it is too large"):
        looked_into(tmp_path / "b.tar.gz")


def test_a_tar_that_leads_back_to_its_beginning(tmp_path: Path) -> None:
    for kind in (tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME):
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, -512
        (tmp_path / "a.tar").write_bytes(info.tobuf(tarfile.GNU_FORMAT) + bytes(10_240))
        with pytest.raises(ValueError, match="cannot be opened as"):
            looked_into(tmp_path / "a.tar", files=10**9)


def test_encrypted_files(tmp_path: Path) -> None:
    path = pack(tmp_path / "download.zip", {f"{ADA}/p1.ipynb": ONE})
    data = bytearray(path.read_bytes())
    for signature, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(signature) + place] |= 1
    path.write_bytes(data)
    assert looked_into(path) == ([], {f"{ADA}/p1.ipynb": "it is encrypted"})


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_damaged_archives(tmp_path: Path, kind: str) -> None:
    files: Files = {f"{ADA}/{n}.ipynb": os.urandom(3000) for n in range(4)}
    path = (pack if kind == "zip" else pack_tar)(tmp_path / f"download.{kind}", files)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match=r"cannot be opened as zip, tar or tar\.gz: .*unpack it yourself"):
        looked_into(path)
    if kind == "tar":
        path.write_bytes(whole[:3584] + b"\xff" * 512 + whole[4096:])
        with pytest.raises(ValueError, match="it is damaged or cut off"):
            looked_into(path)
        path.write_bytes(whole[:3584])  # just behind a file
        with pytest.raises(ValueError, match="it is damaged or cut off"):
            looked_into(path)


def test_a_damaged_list_of_files_loses_nobody_in_silence(tmp_path: Path) -> None:
    path = pack(tmp_path / "download.zip", MOODLE)
    data = bytearray(path.read_bytes())
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    rest = data.index(b"PK\x05\x06") - data.index(b"PK\x01\x02", second + 4)
    data[second + 32 : second + 34] = rest.to_bytes(2, "little")  # the third entry becomes a comment on the second
    path.write_bytes(data)
    with zipfile.ZipFile(path) as archive:
        assert len(archive.namelist()) == 2, "zipfile notices nothing"
    with pytest.raises(ValueError, match="says that it holds 3 files, and lists 2"):
        looked_into(path)


def test_one_damaged_file_costs_one_submission(tmp_path: Path) -> None:
    path = tmp_path / "download.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, data in MOODLE.items():
            archive.writestr(name, data)
    path.write_bytes(path.read_bytes().replace(b'"cells"', b'"cellz"', 1))
    course = make_course(tmp_path / "course")
    rows = bring(course, path)
    assert outcomes(rows) == {"Ada Lovelace": "left", "Bob Byron": "collected"}
    assert "Bad CRC-32" in rows["Ada Lovelace"].remarks[0]


@pytest.mark.parametrize("data", [b"", b"hello", b"Rar!\x1a\x07", b"PK\x03\x04", b"\x1f\x8b\x08\x00"])
def test_what_is_no_archive(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "download.zip").write_bytes(data)
    with pytest.raises(ValueError, match="cannot be opened as zip"):
        looked_into(tmp_path / "download.zip")


def test_encodings_of_names(tmp_path: Path) -> None:
    """UTF-8 that is not declared is recognised; another encoding is not guessed."""
    path = tmp_path / "download.zip"
    names = {"utf-8": "Zoë_1_assignsubmission_file_/p1.ipynb", "latin-1": "José_2_assignsubmission_file_/p1.ipynb"}
    with zipfile.ZipFile(path, "w") as archive:
        for encoding, name in names.items():
            archive.writestr(name.encode(encoding).decode("latin-1").replace("Ã«", "??").replace("é", "?"), ONE)
    data = path.read_bytes().replace(b"Zo??", "Zoë".encode()).replace(b"Jos?", "José".encode("latin-1"))
    path.write_bytes(data)
    with open_download(path) as download:
        plan = make_plan(download, forms("moodle"), ["p1"], now=NOW)
    assert taken(plan) == {"Zoë": ["p1.ipynb"]}
    (zoe,) = (s for s in plan.submissions if s.student == "Zoë")
    assert "read as UTF-8" in zoe.remarks[0]
    assert "encoding of its name is not known" in why(plan)
    assert not taken(plan_of(tmp_path, {"Zoe\u0301_1_assignsubmission_file_/x.txt": ONE}))
    assert set(taken(plan_of(tmp_path / "2", {"Zoe\u0308_1_assignsubmission_file_/p1.ipynb": ONE}))) == {"Zoë"}


def test_rubbish_of_operating_systems_is_passed_over(tmp_path: Path) -> None:
    files: Files = {
        f"__MACOSX/{ADA}/._p1.ipynb": "x",
        f"{ADA}/.DS_Store": "x",
        f"{ADA}/.ipynb_checkpoints/p1.ipynb": "x",
    }
    assert looked_into(pack(tmp_path / "download.zip", files)) == ([], {})
    assert looked_into(lay(tmp_path / "download", files)) == ([], {})
