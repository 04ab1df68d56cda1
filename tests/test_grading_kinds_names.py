"""Kinds of names, folders and special files under which a notebook can be handed in."""

import json
import os
import socket
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from grading_kit import grade, make_cases, notes, put, scores, tiny, tiny_source
from kinds_kit import FULL, GOOD, STUBS, assert_repaired, without_kernel

from pt2e_kit.grading import collect as collecting
from pt2e_kit.grading.collect import Found, collect, read_plain_file
from pt2e_kit.grading.names import meant_by
from pt2e_kit.grading.pipeline import Graded

WORSE = tiny(q1="def square(x):\n    return 0")


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch: pytest.MonkeyPatch):
    without_kernel(monkeypatch)


def graded_folder(tmp_path: Path, **files: Any) -> Graded:
    """Grade a submission of these files (name without .ipynb, or with any ending, in a folder → content)."""
    folder = tmp_path / "in"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        path = folder / (name if "." in name else f"{name}.ipynb")
        put(path.parent, content, path.name)
    return grade(tiny_source(tmp_path), folder)


# ---------------------------------------------------------------- names

COPIES = [
    "p1 - Copy.ipynb",
    "p1 - Copy (2).ipynb",
    "p1-Copy1.ipynb",
    "p1 copy 2.ipynb",
    "p1copy.ipynb",
    "Copy of p1.ipynb",
    "Kopie von p1.ipynb",
    "p1 – Kopie.ipynb",
    "Copie de p1.ipynb",
    "p1 - copia.ipynb",
    "Cópia de p1.ipynb",
    "Kopia p1.ipynb",
    "Копия p1.ipynb",
    "p1 — копия.ipynb",
    "p1 - 副本.ipynb",
    "p1副本.ipynb",
    "p1的副本.ipynb",
    "p1 のコピー.ipynb",
    "p1의 사본.ipynb",
    "نسخة من p1.ipynb",
    "p1 (2).ipynb",
    "p1(1)(1).ipynb",
    "p1.ipynb (1)",
    "p1.ipynb.ipynb",
    "p1.IPYNB",
    "P1.ipynb.TXT",
    "p 1.ipynb",
    "p-1.ipynb",
    "p1_final_v2.ipynb",
    "p1.backup.ipynb",
    "s01-p1.ipynb",
    "Müller, Jürgen_12345_assignsubmission_file_p1.ipynb",
    "p1_李雷.ipynb",
    "李雷p1.ipynb",
    "[late] p1 {1}.ipynb",
    "ｐ１.ipynb",
]


@pytest.mark.parametrize("name", COPIES)
def test_one_of_two_notebooks_is_known_by_its_name(name: str):
    assert meant_by(name, ["p1", "p2"]) == ["p1"]


@pytest.mark.parametrize(
    "name", ["p12.ipynb", "ep1.ipynb", "p1b.ipynb", "p1é.ipynb", "élp1.ipynb", "ü.ipynb", "1.ipynb"]
)
def test_these_are_other_names(name: str):
    assert meant_by(name, ["p1", "p2"]) == []


@pytest.mark.parametrize(
    ("name", "wanted", "meant"),
    [
        ("p1.ipynb", ["p1", "p_1"], ["p1"]),
        ("p_1.ipynb", ["p1", "p_1"], ["p_1"]),
        ("P_1.ipynb", ["p1", "p_1"], ["p_1"]),
        ("作业1.ipynb", ["作业1", "练习1"], ["作业1"]),
        ("练习1 副本.ipynb", ["作业1", "练习1"], ["练习1"]),
        ("作业本.ipynb", ["作业"], []),
        (unicodedata.normalize("NFD", "übung (1).ipynb"), ["übung", "ubung"], ["übung"]),
        ("übung.ipynb", [unicodedata.normalize("NFD", "übung")], [unicodedata.normalize("NFD", "übung")]),
        ("STRASSE.ipynb", ["straße"], ["straße"]),
        ("m01_2_x (1).ipynb", ["m01", "m01_2", "m01_2_x"], ["m01_2_x"]),
        ("p1 p2.ipynb", ["p1", "p2"], ["p1", "p2"]),
        ("copy_nodes.ipynb", ["copy_nodes", "nodes"], ["copy_nodes"]),
        ("a.b-c.ipynb", ["a.b", "axb"], ["a.b"]),
    ],
)
def test_names_near_each_other(name: str, wanted: list[str], meant: list[str]):
    assert meant_by(name, wanted) == meant


def test_composed_and_decomposed_letters_are_the_same_name(tmp_path: Path):
    source = tiny_source(tmp_path)
    (source / "p1.ipynb").rename(source / "übung.ipynb")
    put(source, make_cases.source(), "anhang.ipynb")
    folder = put(tmp_path / "in", tiny(), unicodedata.normalize("NFD", "übung.ipynb"))
    graded = grade(source, put(folder, tiny(), "anhang.ipynb"))
    assert [n["state"] for n in graded.result["notebooks"]] == ["graded", "graded"] and scores(graded) == FULL * 2
    assert "renamed: übung.ipynb" in notes(graded, "repair")


@pytest.mark.parametrize("folder", ["a1", "a1/a1", "s01/a1/x", "a/b/c/d", "Neuer Ordner (2)", "p1.ipynb", "p1"])
def test_one_to_four_folders_further_down(folder: str, tmp_path: Path):
    put(tmp_path / "in" / folder, tiny())
    assert_repaired(grade(tiny_source(tmp_path), tmp_path / "in"), "further down")


def test_what_systems_leave_behind_is_no_rival(tmp_path: Path):
    folder = put(tmp_path / "in", tiny())
    put(folder / ".ipynb_checkpoints", WORSE, "p1-checkpoint.ipynb")
    put(folder / "__MACOSX", b"\0\5\x16\7", "._p1.ipynb")
    for name in ("._p1.ipynb", "Thumbs.db", "desktop.ini", ".DS_Store", "p1.ipynb~", ".~p1.ipynb", "p1.html", "p1.pdf"):
        put(folder, b"\0\5\x16\7", name)
    (folder / "empty" / "folders").mkdir(parents=True)
    assert_repaired(grade(tiny_source(tmp_path), folder))


# ---------------------------------------------------------------- more than one file


def with_outputs() -> Any:
    notebook = tiny()
    for number, cell in enumerate(notebook.cells):
        cell["metadata"]["scrolled"], cell["id"] = True, f"again-{number}"
        if cell.cell_type == "code":
            cell["execution_count"] = number
    return notebook


@pytest.mark.parametrize("again", [tiny(), with_outputs(), json.dumps(tiny(), indent=4).encode("utf-16")])
def test_the_same_work_twice_is_not_ambiguous(again: Any, tmp_path: Path):
    graded = graded_folder(tmp_path, **{"p1": tiny(), "p1 (1)": again, "old/p1.ipynb": again})
    assert_repaired(graded, "p1.ipynb and these hold the same: old/p1.ipynb, p1 (1).ipynb")


def test_only_copies_of_the_same_work(tmp_path: Path):
    assert_repaired(graded_folder(tmp_path, **{"p1 (1)": tiny(), "p1 (2)": tiny()}), "hold the same", "renamed")


@pytest.mark.parametrize("nothing", [b"", b"\0\0\0\0", b" \r\n"])
def test_an_empty_file_is_no_rival(nothing: bytes, tmp_path: Path):
    assert_repaired(graded_folder(tmp_path, **{"p1": nothing, "p1 (1)": tiny()}), "is empty; it was left out: p1.ipynb")


@pytest.mark.parametrize(
    "other",
    [WORSE, tiny(q1=""), b"{", tiny(m4="Another text."), tiny(q1=GOOD["q1"] + "\n")],
    ids=["worse", "half", "damaged", "text", "blank"],
)
def test_different_work_is_ambiguous(other: Any, tmp_path: Path):
    graded = graded_folder(tmp_path, **{"p1": tiny(), "p1-final": other})
    assert graded.result["state"] == "ambiguous" and graded.result["score"] is None
    assert "p1-final.ipynb, p1.ipynb" in notes(graded)


def test_two_files_and_no_name_fits(tmp_path: Path):
    graded = graded_folder(tmp_path, mine=tiny(), other=WORSE)
    assert graded.result["state"] == "ambiguous" and "mine.ipynb, other.ipynb" in notes(graded)


def test_many_files_are_ambiguous_without_being_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    folder = tmp_path / "in"
    for number in range(30):
        put(folder, b"{}", f"p1 ({number}).ipynb")
    monkeypatch.setattr(collecting, "read_plain_file", lambda *_: pytest.fail("read"))
    (found,) = collect(folder, ["p1"], 1000)
    assert found.problem and found.problem.state == "ambiguous"


# ---------------------------------------------------------------- two notebooks wanted


def second(**answers: str) -> Any:
    """Another notebook of the assignment, with grade ids of its own."""
    notebook = make_cases.student(**answers) if answers else make_cases.source()
    for cell in notebook.cells:
        cell.metadata["nbgrader"]["grade_id"] += "-second"
    return notebook


def found_by_content(tmp_path: Path, **files: Any) -> dict[str, Found]:
    folder = tmp_path / "in"
    folder.mkdir()
    for name, content in files.items():
        put(folder, content, f"{name}.ipynb")
    instructors = {"p1": make_cases.source(), "p2": second()}
    return {f.name: f for f in collect(folder, instructors, 10**7)}


def said(found: Found) -> str:
    return " | ".join([*(n.message for n in found.notes), *([found.problem.cause] if found.problem else [])])


FIRST, SECOND = json.dumps(tiny()).encode(), json.dumps(second(q1="x = 1")).encode()


def test_swapped_names_are_put_right(tmp_path: Path):
    found = found_by_content(tmp_path, p1=SECOND, p2=FIRST)
    assert (found["p1"].data, found["p2"].data) == (FIRST, SECOND)
    assert "renamed: p2.ipynb" in said(found["p1"]) and "renamed: p1.ipynb" in said(found["p2"])


def test_notebooks_of_any_name_are_known_by_their_content(tmp_path: Path):
    found = found_by_content(tmp_path, anything=SECOND, mine=FIRST)
    assert (found["p1"].data, found["p2"].data) == (FIRST, SECOND)


def test_one_notebook_in_both_places_is_two_of_the_same(tmp_path: Path):
    found = found_by_content(tmp_path, p1=FIRST, p2=FIRST)
    assert found["p1"].data == FIRST and "hold the same" in said(found["p1"])
    assert found["p2"].problem and found["p2"].problem.state == "missing"


def test_a_name_that_holds_both_names_is_settled_by_content(tmp_path: Path):
    found = found_by_content(tmp_path, **{"p1": FIRST, "p1 p2": SECOND})
    assert (found["p1"].data, found["p2"].data) == (FIRST, SECOND)


def test_without_content_to_tell_a_name_that_holds_both_names_is_ambiguous(tmp_path: Path):
    bare = tiny()
    for cell in bare.cells:
        cell.metadata.clear()
    found = found_by_content(tmp_path, **{"p1 p2": bare})
    assert [f.problem.state for f in found.values() if f.problem] == ["ambiguous", "ambiguous"]
    assert "p1 p2.ipynb could be more than one notebook: p1.ipynb, p2.ipynb" in said(found["p1"])


def test_grade_ids_that_both_have_say_nothing(tmp_path: Path):
    folder = put(put(tmp_path / "in", tiny()), WORSE, "p2.ipynb")
    found = collect(folder, {"p1": make_cases.source(), "p2": make_cases.source()}, 10**7)
    assert [f.problem for f in found] == [None, None] and not any(f.notes for f in found)
    assert found[0].data != found[1].data


def test_a_notebook_as_it_was_handed_out_does_not_rival_one_that_was_worked_on(tmp_path: Path):
    released = tiny(**STUBS)
    folder = put(put(tmp_path / "in", released), tiny(), "p1 (1).ipynb")
    (found,) = collect(folder, {"p1": make_cases.source()}, 10**7)
    assert found.data == (folder / "p1 (1).ipynb").read_bytes()
    assert "as it was handed out; it was left out: p1.ipynb" in said(found)
    released.cells[1].source += "\n# one word"
    put(folder, released)
    (found,) = collect(folder, {"p1": make_cases.source()}, 10**7)
    assert found.problem and found.problem.state == "ambiguous"


# ---------------------------------------------------------------- missing, and what is there instead

INSTEAD = {
    # name of the file: what the cause says of it
    ".ipynb_checkpoints/p1-checkpoint.ipynb": "p1-checkpoint.ipynb (saved by Jupyter on its own)",
    "p1.zip": "p1.zip (an archive",
    "everything.tar.gz": "everything.tar.gz (an archive",
    "p1.ipynb.gz": "p1.ipynb.gz (an archive",
    "p1.html": "p1.html",
    "p1.pdf": "p1.pdf",
    "p1.py": "p1.py",
    "p1 (1).json": "p1 (1).json",
    "p1": "p1",
    "p1.ipynb.crdownload": "p1.ipynb.crdownload",
    ".p1.ipynb.icloud": ".p1.ipynb.icloud",
    "p1.ipynb - Shortcut.lnk": "Shortcut.lnk",
}


@pytest.mark.parametrize("name", INSTEAD)
def test_missing_says_what_is_there_instead(name: str, tmp_path: Path):
    path = tmp_path / "in" / name
    put(path.parent, tiny(), path.name)
    put(tmp_path / "in", b"other", "README.md")
    graded = grade(tiny_source(tmp_path), tmp_path / "in")
    assert graded.result["state"] == "missing" and graded.result["score"] is None
    assert INSTEAD[name] in notes(graded) and "README" not in notes(graded) and "under its own name" in notes(graded)


def test_an_archive_beside_the_notebook_is_told(tmp_path: Path):
    graded = graded_folder(tmp_path, **{"p1": tiny(), "p1.zip": b"PK", "data.zip": b"PK"})
    assert scores(graded) == FULL and notes(graded) == "an archive was not opened: p1.zip"


def test_folders_that_were_not_looked_into_are_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    put(tmp_path / "in" / "a" / "b" / "c" / "d" / "e", tiny())
    locked = tmp_path / "in" / "locked"
    locked.mkdir()
    real = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path) == locked:
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", scandir)
    graded = grade(tiny_source(tmp_path), tmp_path / "in")
    assert graded.result["state"] == "missing"
    assert "not looked into: a/b/c/d/e" in notes(graded) and "cannot be opened: locked" in notes(graded)


# ---------------------------------------------------------------- links and special files


def special(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "socket":
        here = Path.cwd()
        os.chdir(path.parent)  # the address of a socket may not be long
        try:
            with socket.socket(socket.AF_UNIX) as listener:
                listener.bind(path.name)
        finally:
            os.chdir(here)
    else:
        path.symlink_to({"dangling": "gone.ipynb", "loop": path.name, "device": "/dev/zero", "up": ".."}[kind])


@pytest.mark.parametrize("kind", ["pipe", "socket", "dangling", "loop", "device", "up"])
def test_a_special_file_is_noted_and_never_read(kind: str, tmp_path: Path):
    special(tmp_path / "in" / "p1.ipynb", kind)
    graded = grade(tiny_source(tmp_path), tmp_path / "in")
    assert graded.result["state"] == "missing" and "not followed" in notes(graded)
    assert "p1.ipynb" in notes(graded, "suspicion")
    put(tmp_path / "in", tiny(), "p1 (1).ipynb")
    assert scores(grade(tiny_source(tmp_path), tmp_path / "in")) == FULL


def test_a_loop_of_folders_ends(tmp_path: Path):
    folder = put(tmp_path / "in" / "a", tiny())
    (folder / "again").symlink_to("..", target_is_directory=True)
    assert scores(grade(tiny_source(tmp_path), tmp_path / "in")) == FULL


def test_a_hard_link_is_a_file_like_others(tmp_path: Path):
    put(tmp_path / "elsewhere", tiny())
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "p1.ipynb").hardlink_to(tmp_path / "elsewhere" / "p1.ipynb")
    assert_repaired(grade(tiny_source(tmp_path), tmp_path / "in"))


def test_an_empty_folder_of_its_name_is_no_notebook(tmp_path: Path):
    (tmp_path / "in" / "p1.ipynb").mkdir(parents=True)
    assert grade(tiny_source(tmp_path), tmp_path / "in").result["state"] == "missing"


def test_hundreds_of_links_are_told_in_a_few_notes(tmp_path: Path):
    folder = put(tmp_path / "in", tiny())
    for number in range(400):
        (folder / f"link-{number}").symlink_to("/etc/passwd")
    graded = grade(tiny_source(tmp_path), folder)
    assert scores(graded) == FULL and len(graded.result["notes"]) < 20 and "390 more" in notes(graded, "suspicion")


def test_a_file_that_may_not_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    real = os.open

    def refuse(path: Any, *arguments: Any) -> int:
        if str(path).endswith("p1.ipynb"):
            raise PermissionError(13, "Permission denied")
        return real(path, *arguments)

    folder = put(tmp_path / "in", tiny())
    source = tiny_source(tmp_path)
    monkeypatch.setattr("os.open", refuse)
    (found,) = collect(folder, ["p1"], 10**7)
    assert (
        source and found.problem and found.problem.state == "unreadable" and "Permission denied" in found.problem.cause
    )


def test_a_file_that_grows_while_it_is_read_is_not_graded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "p1.ipynb"
    path.write_bytes(b"{" + b" " * 1000)
    real, calls = os.fstat, []

    def growing(handle: int) -> os.stat_result:
        calls.append(handle)
        found = real(handle)
        with path.open("ab") as file:
            file.write(b" " * 1000)
        return found

    monkeypatch.setattr("os.fstat", growing)
    with pytest.raises(OSError, match="grade it again"):
        read_plain_file(path, 100_000)
    with pytest.raises(OSError, match="larger than"):
        read_plain_file(path, path.stat().st_size + 10)


def test_a_notebook_that_is_too_large_says_what_to_do(tmp_path: Path):
    put(tmp_path, tiny())
    (found,) = collect(tmp_path, ["p1"], 1000)
    assert found.problem and "outputs" in found.problem.cause
