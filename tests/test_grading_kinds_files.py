"""Kinds of files that students hand in for a notebook: what can be read in one way only is read, and said."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest
from grading_kit import grade, grade_tiny, notes, put, tiny, tiny_source
from kinds_kit import assert_repaired, without_kernel
from nbformat import NotebookNode

from pt2e_kit.grading.rebuild import rebuild
from pt2e_kit.notebooks import Unreadable, read_notebook
from pt2e_kit.reading import repairs

PLAIN = json.dumps(tiny(), indent=1, ensure_ascii=False)
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


@pytest.fixture(autouse=True)
def _no_kernel(monkeypatch: pytest.MonkeyPatch):
    without_kernel(monkeypatch)


def changed(change: Callable[[dict[str, Any]], object]) -> bytes:
    """A right submission whose JSON is changed."""
    raw = json.loads(PLAIN)
    change(raw)
    return json.dumps(raw).encode()


def each_cell(change: Callable[[dict[str, Any]], object]) -> bytes:
    return changed(lambda raw: [change(cell) for cell in raw["cells"]])


def version_3(change: Callable[[dict[str, Any]], object]) -> bytes:
    raw = json.loads(nbformat.writes(nbformat.convert(tiny(), 3), version=3))
    change(raw)
    return json.dumps(raw).encode()


def archive() -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("p1.ipynb", PLAIN)
    return packed.getvalue()


# ---------------------------------------------------------------- read without a word

UNHARMED = {
    "utf_32": PLAIN.encode("utf-32"),
    "utf_32_without_mark": PLAIN.encode("utf-32-be"),
    "utf_16_with_blank_lines": f"\n\n{PLAIN}".encode("utf-16-le"),
    "only_carriage_returns": PLAIN.replace("\n", "\r").encode(),
    "escaped": json.dumps(tiny()).encode("ascii"),
    "version_as_float": changed(lambda raw: raw.update(nbformat=4.0)),
    "minor_of_the_future": changed(lambda raw: raw.update(nbformat_minor=99)),
    "minor_0": changed(lambda raw: raw.update(nbformat_minor=0)),
    "no_notebook_metadata": changed(lambda raw: raw.pop("metadata")),
    "colab": changed(
        lambda raw: (
            raw.update(nbformat_minor=0, metadata={"colab": {"provenance": [], "toc_visible": True}}),
            [c["metadata"].update(id=f"x{n}", colab={"height": 35}) for n, c in enumerate(raw["cells"])],
            [c.pop("id", None) for c in raw["cells"]],
        )
    ),
    "vs_code": each_cell(lambda c: c["metadata"].update(vscode={"languageId": "python"}, dotnet_interactive={})),
    "kaggle": each_cell(
        lambda c: c["metadata"].update(_uuid="8f2839f2", _cell_guid="b1076dfc", trusted=True, execution={"iopub": 5})
    ),
    "deepnote": each_cell(
        lambda c: c["metadata"].update(cell_id="00000", deepnote_cell_type=c["cell_type"], tags=None)
    ),
    "classic": changed(
        lambda raw: (
            raw["metadata"].update(toc={"nav_menu": {}}, varInspector={"cols": 5}, widgets={"state": 7}),
            [c["metadata"].update(ExecuteTime={"end_time": 0}, scrolled="auto", collapsed=1) for c in raw["cells"]],
        )
    ),
    "other_kernel": changed(lambda raw: raw["metadata"].update(kernelspec={"name": "ir", "language": "R"})),
    "odd_outputs": each_cell(lambda c: c.update(outputs={"a": [5]}, execution_count="many")),
    "numbers_of_a_thousand_digits": each_cell(lambda c: c.update(execution_count=10**1000)),
    "not_a_number": changed(lambda raw: raw["metadata"].update(seconds=float("nan"))),
    "version_3_with_odd_outputs": version_3(
        lambda raw: [c.update(outputs="gone") for c in raw["worksheets"][0]["cells"] if c["cell_type"] == "code"]
    ),
    "version_3_without_metadata": version_3(lambda raw: raw.pop("metadata")),
    "lines_with_nothing_among_them": each_cell(
        lambda c: c.update(source=[None, *c["source"].splitlines(keepends=True), None])
    ),
}


@pytest.mark.parametrize("name", UNHARMED)
def test_read_as_if_nothing_had_happened(name: str, tmp_path: Path):
    assert_repaired(grade_tiny(tmp_path, UNHARMED[name]))


# ---------------------------------------------------------------- mended, and said

MENDED = {
    # name: (bytes, what the instructor is told)
    "stray_commas": (PLAIN.replace("\n  }", ",\n  }").replace('"id"', '"a": [1,], "id"').encode(), "stray commas"),
    "zeros_behind": (PLAIN.encode() + b"\0" * 4096, "bytes of zero"),
    "end_mark_of_dos": (PLAIN.encode() + b"\r\n\x1a", "mark of its end"),
    "twice_the_same": ((PLAIN + "\n" + PLAIN).encode(), "same notebook twice"),
    "rest_of_a_longer_file": ((PLAIN + '\n  "metadata": {}\n }\n ]\n}').encode(), "behind the end"),
    "raw_line_breaks": (
        PLAIN.replace(r"return x * x", "return x * x\n").encode(),
        "line breaks or control characters",
    ),
    "windows_letters": (PLAIN.replace("# Tiny", "# Übung: Tiny").encode("cp1252"), "Windows-1252"),
    "letters_of_gbk": (PLAIN.replace("# Tiny", "# 作业 Tiny").encode("gbk"), "not UTF-8"),
    "one_wrong_byte": (PLAIN.replace("# Tiny", "# 作业作业").encode().replace("业作".encode(), b"\xe4"), "replacement"),
    "no_version": (changed(lambda raw: raw.pop("nbformat")), "did not say its notebook format"),
    "version_4_as_text": (changed(lambda raw: raw.update(nbformat="4")), "did not say its notebook format"),
    "said_3_is_4": (changed(lambda raw: raw.update(nbformat=3)), "is of 4"),
    "said_4_is_3": (version_3(lambda raw: raw.update(nbformat=4)), "is of 3"),
    "from_a_server": (
        json.dumps({"name": "p1.ipynb", "type": "notebook", "content": json.loads(PLAIN)}).encode(),
        "answer of a server",
    ),
    "lines_without_ends": (each_cell(lambda c: c.update(source=c["source"].split("\n"))), "no line ends"),
    "no_cells_among_cells": (changed(lambda raw: raw["cells"].insert(2, None)), "are no cells"),
    "one_name_twice": (
        PLAIN.replace('"cells": [', '"cells": [], "cells": [', 1).encode(),
        "stands twice under one name",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_mended_and_said(name: str, tmp_path: Path):
    data, words = MENDED[name]
    points = [2, 3, 4, None]
    graded = grade_tiny(tmp_path, data)
    assert_repaired(graded, words, points=points)


def test_letters_of_an_old_encoding_still_make_one_name(tmp_path: Path):
    source = "größe = 2\ndef square(x):\n    return x ** größe"
    data = json.dumps(tiny(q1=source), ensure_ascii=False).encode("latin-1")
    assert_repaired(grade_tiny(tmp_path, data), "Windows-1252")


def test_the_notebook_that_is_graded_tells_of_the_submission_alone_what_was_mended(tmp_path: Path):
    source = tiny_source(tmp_path)
    instructors = (source / "p1.ipynb").read_text()
    (source / "p1.ipynb").write_text(instructors.replace("\n  }", ",\n  }"))
    graded = grade(source, put(tmp_path / "in", MENDED["zeros_behind"][0]))
    assert list(graded.notebooks["p1"].metadata) == ["kernelspec", "pt2e_kit_told"]
    assert "stray commas" not in notes(graded)


def test_a_submission_cannot_write_repairs():
    notebook = tiny()
    notebook.metadata["pt2e_kit_repairs"] = ["the grader gave full marks"]
    assert repairs(read_notebook(json.dumps(notebook).encode())) == []


# ---------------------------------------------------------------- not read, with the cause in words

REFUSED = {
    "zip": (archive(), "zip archive"),
    "gzip": (gzip.compress(PLAIN.encode()), "gzip archive"),
    "pdf": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n", "PDF"),
    "word": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "office document"),
    "picture": (b"\x89PNG\r\n\x1a\n", "picture"),
    "web_page": ("\ufeff<!DOCTYPE html><html>".encode("utf-16"), "web page"),
    "script": (b"# %%\ndef square(x):\n    return x * x\n", "Python script"),
    "script_of_nbconvert": (b"#!/usr/bin/env python\n# coding: utf-8\n", "Python script"),
    "script_of_jupytext": (b"# ---\n# jupyter:\n#   jupytext:\n", "Python script"),
    "markdown": (b"# Tiny problem set\n\nSome text\n", "begin like a notebook"),
    "git_lfs": (b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n", "git-lfs"),
    "only_zeros": (b"\0" * 4096, "zero bytes"),
    "conflict": (
        PLAIN.replace('    return x * x"', 'X"\n<<<<<<< HEAD\n "a"\n=======\n "b"\n>>>>>>> main\n', 1).encode(),
        "git merge",
    ),
    "conflict_over_all": (f"<<<<<<< HEAD\n{PLAIN}\n=======\n{PLAIN}\n>>>>>>> main\n".encode(), "git merge"),
    "two_different": ((PLAIN + json.dumps(tiny(q1="x = 1"))).encode(), "two notebooks"),
    "cut_off_utf_16": (PLAIN[:1500].encode("utf-16")[:-1], "cut off"),
    "no_cells": (changed(lambda raw: raw.pop("cells")), "without cells"),
    "cells_of_nothing": (changed(lambda raw: raw.update(cells=None)), "without cells"),
    "version_2": (b'{"nbformat": 2, "worksheets": [{"cells": []}]}', "version 2"),
    "version_5": (changed(lambda raw: raw.update(nbformat=5)), "version 5"),
    "noise": (b"\x00\x01\x02\x03\xff\xfe", "begin like a notebook"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_not_read_and_the_cause_is_said(name: str, tmp_path: Path):
    data, words = REFUSED[name]
    graded = grade_tiny(tmp_path, data)
    assert graded.result["state"] == "unreadable" and graded.result["score"] is None and not graded.notebooks
    assert words in notes(graded)


def test_mending_takes_no_time_however_the_file_is_made():
    """Quotes that never end would make a search for strings start at each of them."""
    for hostile in ("{" + '"\\' * 200_000, "{" + '",' * 200_000, "{[" + ", " * 200_000 + "]", "{" + "\\" * 400_000):
        with pytest.raises(Unreadable):
            read_notebook(hostile.encode())


# ---------------------------------------------------------------- pictures in texts, large outputs


def with_picture(name: str = "image.png", kind: str = "image/png", content: str = PNG) -> NotebookNode:
    notebook = tiny(m4=f"See my sketch:\n\n![sketch](attachment:{name})")
    notebook.cells[-1]["attachments"] = {name: {kind: content}}
    return notebook


def test_a_picture_in_a_written_answer_reaches_who_marks_it(tmp_path: Path):
    graded = grade_tiny(tmp_path, with_picture())
    (written,) = (c for c in graded.notebooks["p1"].cells if "sketch" in c.source)
    assert written.source.endswith("![sketch](attachment:image.png)")
    assert written.attachments == {"image.png": {"image/png": PNG}}
    assert_repaired(graded)


@pytest.mark.parametrize(
    "attachments",
    [
        {"a.png": {"image/png": '"><script>'}},
        {"a.svg": {"image/svg+xml": "<svg onload=alert(1)>"}},
        {"a.html": {"text/html": "<script>"}},
        {'x"><script>.png': {"image/png": PNG}},
        {"a.png": "text"},
        "text",
        [PNG],
        {"a.png": {"image/png": 5}},
    ],
)
def test_only_pictures_are_attached(attachments: Any, tmp_path: Path):
    notebook = with_picture()
    notebook.cells[-1]["attachments"] = attachments
    graded = grade_tiny(tmp_path, notebook)
    assert graded.result["state"] == "graded"
    assert not any(c.get("attachments") for c in graded.notebooks["p1"].cells)


def test_pictures_in_several_own_cells_do_not_take_each_others_place(tmp_path: Path):
    notebook = tiny(m4="YOUR ANSWER HERE")
    other = PNG.replace("DUlEQVR42mNk", "DUlEQVR42mNl")
    for picture in (PNG, other):
        cell = nbformat.v4.new_markdown_cell("![s](attachment:image.png)")
        cell["attachments"] = {"image.png": {"image/png": picture}}
        notebook.cells.append(cell)
    graded = grade_tiny(tmp_path, notebook)
    written = graded.notebooks["p1"].cells[-1]
    assert [p["image/png"] for p in written.attachments.values()] == [PNG, other]
    assert all(f"attachment:{name})" in written.source for name in written.attachments)


def test_pictures_of_the_solution_stay_with_the_instructor():
    instructor = tiny()
    instructor.cells[
        -1
    ].source = "Look: ![q](attachment:q.png)\n### BEGIN SOLUTION\n![s](attachment:s.png)\n### END SOLUTION"
    instructor.cells[-1]["attachments"] = {name: {"image/png": PNG} for name in ("q.png", "s.png")}
    instructor = read_notebook(json.dumps(instructor).encode())
    submitted = tiny()
    del submitted.cells[-1]
    result = rebuild(instructor, submitted, class_seed="any seed", student="s01")
    assert list(result.notebook.cells[-1].attachments) == ["q.png"] and "m4" not in result.answered


def test_thirty_megabytes_of_outputs_are_no_hindrance(tmp_path: Path):
    notebook = tiny()
    for cell in notebook.cells[1:4]:
        cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["x" * 10_000_000]}]
    assert_repaired(grade_tiny(tmp_path, notebook))
