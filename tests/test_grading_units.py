"""The parts of grading that need no kernel: reading notebooks, collecting, times, plain scores, suspicion, results."""

import json
import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jsonschema
import nbformat
import pytest
from grading_kit import check_schema, tiny
from nbformat.v4 import new_code_cell, new_notebook, new_output

from pt2e_kit.grading import plain, results
from pt2e_kit.grading.collect import Found, collect
from pt2e_kit.grading.notes import Note, printable
from pt2e_kit.grading.outputs import keep_safe_outputs
from pt2e_kit.grading.suspicion import look
from pt2e_kit.grading.times import submitted_at
from pt2e_kit.notebooks import (
    Unreadable,
    exercise_cells,
    read_notebook,
    with_cases,
    without_hidden,
    without_solution,
)
from pt2e_kit.settings import read_class_seed

MIB = 2**20
TEXT = json.dumps(tiny())


# ---------------------------------------------------------------- reading notebooks


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"])
def test_notebooks_are_read_in_any_encoding(encoding: str, ends: str):
    notebook = tiny(m4="平均值 📉 café")
    text = json.dumps(notebook, indent=1, ensure_ascii=False).replace("\n", ends)
    read = read_notebook(text.encode(encoding))
    assert [c.source for c in read.cells] == [c.source for c in notebook.cells]
    nbformat.validate(read)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "empty"),
        (b" \n\t ", "empty"),
        (TEXT[: len(TEXT) // 2].encode(), "cut off"),
        (TEXT[:-2].encode(), "cut off"),
        (TEXT.replace(": ", ": ,", 1).encode(), "damaged"),
        (b"<!DOCTYPE html><html>Sign in</html>", "web page"),
        (b"<?xml version='1.0'?>", "web page"),
        (b"PK\x03\x04\xff\xff", "zip archive"),
        (b"\x80\x81\xff", "neither"),
        (b"hello", "begin like a notebook"),
        (b"[1, 2]", "not a notebook"),
        (b"{}", "not a notebook"),
        (b'{"nbformat": "4", "cells": []}', "not a notebook"),
        (b'{"nbformat": 2, "worksheets": []}', "version 2"),
        (b'{"nbformat": 5, "cells": []}', "version 5"),
        (b'{"nbformat": 4, "cells": {"a": 1}}', "cells"),
        (b'{"nbformat": 4, "cells": ["x"]}', "cells"),
        (b'{"nbformat": 4, "cells": [{"cell_type": ["code"]}]}', "cells"),
        (b'{"nbformat": 3, "worksheets": 5}', "cells"),
        (b'{"nbformat": 4, "cells": [' + b"{}," * 5000 + b"{}]}", "more than"),
        (b'{"nbformat": 4, "x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested"),
        (b'{"nbformat": 4, "cells": [], "x": ' + b"1" * 5000 + b"}", "damaged"),
    ],
)
def test_what_is_no_notebook_is_said_in_words(data: bytes, words: str):
    with pytest.raises(Unreadable, match=words):
        read_notebook(data)


def test_odd_cells_are_mended():
    cells = [
        {"cell_type": "code", "source": ["a = 1\r\n", "b = 2\r"], "metadata": None, "id": "same", "outputs": "x"},
        {"cell_type": "unheard of", "source": None, "metadata": [], "id": "same"},
        {"cell_type": "raw", "source": 5, "id": "no good: id!"},
        {"source": "half \ud800", "id": 7},
        {},
    ]
    read = read_notebook(json.dumps({"nbformat": 4, "nbformat_minor": 5, "cells": cells}).encode())
    nbformat.validate(read)
    assert [c.source for c in read.cells] == ["a = 1\nb = 2\n", "", "5", "half ?", ""]
    assert len({c.id for c in read.cells}) == 5
    nbformat.writes(read).encode("utf-8")


def test_kernel_and_notebook_metadata_of_a_submission_count_for_nothing():
    notebook = tiny()
    notebook.metadata = {"kernelspec": {"name": "evil"}, "widgets": {}}
    assert read_notebook(json.dumps(notebook).encode()).metadata.kernelspec["name"] == "python3"


def test_solutions_and_hidden_tests_are_cut_out():
    source = "a = 1\n    ### BEGIN SOLUTION here\n    x\n    ### END SOLUTION\nb = 2"
    stub = "a = 1\n    # YOUR CODE HERE\n    raise NotImplementedError()\nb = 2"
    assert without_solution(source) == stub
    assert without_solution("no region") == "# YOUR CODE HERE\nraise NotImplementedError()"
    assert without_solution("the answer", "markdown") == "YOUR ANSWER HERE"
    assert without_hidden("check(1)\n### BEGIN HIDDEN TESTS\nx\n### END HIDDEN TESTS\n") == "check(1)"


def test_calls_of_evidence_are_found_and_rewritten():
    source = 'évidence = 1; evidence("m02_2.x", cases=[{"a": (1, 2)}])  # é\nevidence("m02_2.y")'
    metadata = {"nbgrader": {"grade_id": "g", "grade": True}}
    notebook = new_notebook(cells=[new_code_cell(source, metadata=metadata), new_code_cell(source)])
    found = list(exercise_cells(notebook))
    assert [(e.exercise_id, e.cases) for e in found] == [("m02_2.x", [{"a": (1, 2)}]), ("m02_2.y", [])]
    rewritten = with_cases(source, "m02_2.x", [{"a": "é'\"\n"}])
    assert rewritten.startswith("évidence = 1; evidence(") and rewritten.endswith('  # é\nevidence("m02_2.y")')
    notebook.cells[0].source = rewritten
    assert next(exercise_cells(notebook)).cases == [{"a": "é'\"\n"}]
    notebook.cells[0].source = 'evidence("m02_2.x", cases=make())'
    with pytest.raises(ValueError, match="plain literals"):
        list(exercise_cells(notebook))


# ---------------------------------------------------------------- collecting


def found_in(folder: Path, *wanted: str, limit: int = MIB) -> dict[str, Found]:
    return {f.name: f for f in collect(folder, list(wanted), limit)}


def lay(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(os.fsencode(name))
    return folder


def told(found: Found) -> str:
    return " | ".join([*(n.message for n in found.notes), found.problem.cause if found.problem else ""])


@pytest.mark.parametrize(
    "name",
    [
        "p1 (1).ipynb",
        "p1-Copy1.ipynb",
        "Copy of p1.ipynb",
        "s01_late_12345_p1.ipynb",
        "P1.ipynb",
        "p1.IPYNB",
        "p1.ipynb.txt",
        "p1.ipynb.json",
        "deep/er/p1.ipynb",
        "anything at all.ipynb",
    ],
)
def test_a_renamed_notebook_is_found(tmp_path: Path, name: str):
    found = found_in(lay(tmp_path, name), "p1")["p1"]
    assert found.data == name.encode()
    assert "renamed" in told(found) or "further down" in told(found)


def test_similar_names_are_told_apart(tmp_path: Path):
    names = ("p1.ipynb", "p12.ipynb", "p1_extra (2).ipynb")
    found = found_in(lay(tmp_path, *names), "p1", "p12", "p1_extra")
    assert {n: f.data for n, f in found.items()} == {
        "p1": b"p1.ipynb",
        "p12": b"p12.ipynb",
        "p1_extra": b"p1_extra (2).ipynb",
    }


def test_nobody_guesses_between_two(tmp_path: Path):
    found = found_in(lay(tmp_path, "p1.ipynb", "old/p1.ipynb", "p2.ipynb"), "p1", "p2")
    assert found["p1"].problem and found["p1"].problem.state == "ambiguous" and "old/p1.ipynb" in told(found["p1"])
    assert found["p2"].data == b"p2.ipynb"


@pytest.mark.parametrize(
    "name", [".ipynb_checkpoints/p1.ipynb", "._p1.ipynb", "__MACOSX/p1.ipynb", "p1.html", "a/b/c/d/e/p1.ipynb"]
)
def test_these_are_not_looked_at(tmp_path: Path, name: str):
    found = found_in(lay(tmp_path, name), "p1")["p1"]
    assert found.data is None and found.problem and found.problem.state == "missing"


def test_a_missing_folder_is_a_missing_notebook(tmp_path: Path):
    problem = found_in(tmp_path / "nowhere", "p1")["p1"].problem
    assert problem and problem.state == "missing" and "p1.ipynb" in problem.cause


def test_links_and_pipes_are_not_followed(tmp_path: Path):
    secret = lay(tmp_path / "elsewhere", "p1.ipynb")
    handed_in = tmp_path / "in"
    handed_in.mkdir()
    (handed_in / "p1.ipynb").symlink_to(secret / "p1.ipynb")
    (handed_in / "folder").symlink_to(secret, target_is_directory=True)
    os.mkfifo(handed_in / "p1 (1).ipynb")
    found = found_in(handed_in, "p1")["p1"]
    assert found.data is None and found.problem and found.problem.state == "missing"
    assert told(found).count("link was not followed") == 2 and "not a plain file" in told(found)


def test_a_huge_file_is_not_read(tmp_path: Path):
    with (tmp_path / "p1.ipynb").open("wb") as file:
        file.truncate(3 * MIB)
    problem = found_in(tmp_path, "p1")["p1"].problem
    assert problem and problem.state == "unreadable" and "larger than 1 MiB" in problem.cause


def test_names_are_safe_to_print(tmp_path: Path):
    names = ["p1 \x1b[2J.ipynb", "p1 \u202ebypni.ipynb", os.fsdecode(b"p1 \xff.ipynb")]
    cause = told(found_in(lay(tmp_path, *names), "p1")["p1"])
    assert cause.isprintable() and cause.encode("utf-8")


# ---------------------------------------------------------------- times


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-10 23:30:00.000000 UTC", "2026-01-10T23:30:00+00:00"),
        ("2026-01-10 23:30:00 GMT\n", "2026-01-10T23:30:00+00:00"),
        ("2026-01-11T07:30:00+08:00", "2026-01-11T07:30:00+08:00"),
        ("2026-01-10T23:30Z", "2026-01-10T23:30:00+00:00"),
        ("\ufeff2026-01-10T23:30:00-05:00\r\n", "2026-01-10T23:30:00-05:00"),
        ("", None),
        ("  \n", None),
    ],
)
def test_times_are_read(tmp_path: Path, text: str, moment: str | None):
    (tmp_path / "timestamp.txt").write_bytes(text.encode())
    assert submitted_at(tmp_path) == (moment, [])


@pytest.mark.parametrize(
    "data",
    [
        b"2026-01-10 23:30:00",
        b"2026-01-11-15-30-10",
        b"10/01/2026 23:30",
        b"2026-13-45 99:99:99 UTC",
        b"0000-01-01T00:00:00Z",
        b"yesterday evening",
        b"1768087800",
        b"2026-01-10T23:30:00+08:00 and more",
        b"\xff\xfe2\x000\x00",
        b"x" * 5000,
    ],
)
def test_an_unclear_time_is_noted_and_not_used(tmp_path: Path, data: bytes):
    (tmp_path / "timestamp.txt").write_bytes(data)
    moment, notes = submitted_at(tmp_path)
    assert moment is None and [n.kind for n in notes] == ["time"]


def test_a_linked_or_missing_time_is_no_time(tmp_path: Path):
    assert submitted_at(tmp_path) == (None, [])
    (tmp_path / "other").write_text("2026-01-10T23:30:00Z")
    (tmp_path / "timestamp.txt").symlink_to(tmp_path / "other")
    assert submitted_at(tmp_path)[0] is None


# ---------------------------------------------------------------- plain scores


def scored(
    shown: str | None = None, status: str = "ok", stream: str | None = None, error: str | None = None
) -> plain.PlainScore:
    cell = new_code_cell("got", metadata={"nbgrader": {"grade_id": "t", "grade": True}})
    if stream:
        cell.outputs.append(new_output("stream", name=stream, text="something"))
    if error:
        cell.outputs.append(new_output("error", ename=error, evalue="", traceback=[]))
    if shown is not None:
        cell.outputs.append(new_output("execute_result", {"text/plain": shown}))
    return plain.score(cell, status, 4)


@pytest.mark.parametrize(("shown", "score"), [(None, 4), ("0", 0), ("2", 2), ("2.5", 2.5), ("4.0", 4), (" 3 ", 3)])
def test_plain_scores(shown: str | None, score: float):
    assert scored(shown) == plain.PlainScore(score, "scored")


@pytest.mark.parametrize(
    "shown",
    [
        "nan",
        "inf",
        "True",
        "-1",
        "4.001",
        "1e999",
        "tensor(4.)",
        "[4]",
        "'4'",
        "4j",
        "None",
        "",
        "4 * 1",
        "(" * 9999,
        "-" * 99999 + "1",
    ],
)
def test_what_is_no_score_earns_nothing_and_is_noted(shown: str):
    result = scored(shown)
    assert result.score == 0 and result.note and result.note.kind == "suspicion"
    assert len(result.note.message) < 300


def test_stderr_costs_nothing_and_errors_everything():
    assert scored(stream="stderr").score == 4 and scored("3", stream="stderr").score == 3
    assert scored(error="AssertionError") == plain.PlainScore(0, "scored", "The test ended with AssertionError.")
    assert scored("4", error="AssertionError").score == 0
    assert scored("4", status="error").score == 0
    for status in ("timeout", "died", "missing"):
        assert (scored("4", status=status).score, scored("4", status=status).status) == (0, status)


def test_the_name_of_an_error_cannot_do_harm():
    symptom = scored(error="\x1b[2JE\ud800" + "x" * 5000, status="error").symptom
    assert symptom.isprintable() and len(symptom) < 200 and symptom.encode()


# ---------------------------------------------------------------- outputs


def test_only_safe_outputs_are_kept():
    png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    bundle = {"text/plain": "kept", "text/html": "<script>", "image/svg+xml": "<svg/>", "application/javascript": "x"}
    cell = new_code_cell("x")
    cell.outputs = [
        new_output("display_data", bundle | {"image/png": png + "\n"}, metadata={"pt2e_kit_judged": True}),
        new_output("display_data", {"image/png": '"><script>', "image/jpeg": png}),
        new_output("stream", name="stdout", text="half \ud800"),
        new_output("error", ename="E", evalue="\ud800", traceback=["\ud800"]),
    ]
    notebook = new_notebook(cells=[cell])
    cell.outputs[2]["name"] = "elsewhere"
    cell.execution_count = "<b>"
    keep_safe_outputs(notebook)
    nbformat.validate(notebook)
    nbformat.writes(notebook).encode("utf-8")
    assert cell.outputs[0].data == {"text/plain": "kept", "image/png": png} and not cell.outputs[0].metadata
    assert cell.outputs[1].data == {} and cell.execution_count is None


def test_printable_text():
    assert printable({"a\x1b[1m": ["x\ny\t", "\u202e\ud800", 5, None]}) == {
        "a\ufffd[1m": ["x\ny\t", "\ufffd\ufffd", 5, None]
    }


# ---------------------------------------------------------------- suspicion


@pytest.mark.parametrize(
    "source",
    [
        "get_ipython().input_transformers_cleanup.append(f)",
        "get_ipython().ast_transformers.append(f)",
        "from IPython.core.interactiveshell import InteractiveShell as s\ns.showtraceback = None",
        "import sys\nsys.displayhook = f",
        "import common.exercise.capture as c",
        "from common.exercise import NotJudged",
        "from common.checks.m02_2 import insert_after",
        "getattr(shell, 'run_cell')",
        "import os\nos.environ['PT2E_KIT_EVIDENCE']",
        "%time\nkernel.do_execute = f",
        "class E:\n    def __eq__(self, other): return True",
    ],
)
def test_these_are_suspicious(source: str):
    assert [n.kind for n in look(["x = 1", "syntax error here", source])] == ["suspicion"]


@pytest.mark.parametrize(
    "source",
    [
        "from common.graph_utils import splice\nimport torch",
        "class E:\n    def __eq__(self, other): return self.x == other.x",
        "display = print\nprint('displayed by hook')",
        "x" + ".a" * 100_000,
        "(" * 100_000,
        "a\0b",
        "half \ud800",
    ],
)
def test_these_are_not(source: str):
    assert look([source]) == []


# ---------------------------------------------------------------- class seed


def test_the_class_seed_is_made_once_for_the_owner_only(tmp_path: Path):
    path = tmp_path / "new" / "seed"
    with ThreadPoolExecutor(8) as pool:
        seeds = set(pool.map(read_class_seed, [path] * 16))
    assert len(seeds) == 1 and len(seeds.pop()) == 64
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert read_class_seed(path) == path.read_text().strip()


@pytest.mark.parametrize("data", [b"", b"short", b"\n" * 100])
def test_a_damaged_class_seed_is_an_error_in_words(tmp_path: Path, data: bytes):
    (tmp_path / "seed").write_bytes(data)
    with pytest.raises(ValueError, match="delete it"):
        read_class_seed(tmp_path / "seed")


# ---------------------------------------------------------------- results


def result_of(notebooks: list[dict], notes: list[Note] | None = None) -> dict:
    moment = "2026-01-10T23:30:00+00:00"
    basis = dict.fromkeys(("submission", "source", "seed"), "0" * 16)
    times = {"submitted_at": None, "graded_at": moment, "seconds": 0.5, "versions": {"torch": "2"}, "basis": basis}
    return results.submission(
        assignment="a1", student="s01", notebooks=notebooks, max_score=9, notes=notes or [], **times
    )


def graded_notebook(name: str, score: float) -> dict:
    cells = [
        results.cell_entry("t", "plain", score, 9, "scored", "x"),
        results.cell_entry("w", "written", None, 1, "manual"),
    ]
    practice = results.cell_entry("p", "practice", 3, 4, "scored")
    return results.notebook_entry(name, "graded", None, [*cells, practice])


@pytest.mark.parametrize(
    ("states", "worst"),
    [
        (["graded"], "graded"),
        (["graded", "missing"], "missing"),
        (["missing", "unreadable"], "unreadable"),
        (["unreadable", "ambiguous", "graded"], "ambiguous"),
        (["ambiguous", "failed"], "failed"),
    ],
)
def test_a_submission_is_in_the_worst_state_and_keeps_its_other_scores(states: list[str], worst: str):
    notebooks = [
        graded_notebook(f"p{n}", 2) if s == "graded" else results.notebook_entry(f"p{n}", s, "because", [])
        for n, s in enumerate(states)
    ]
    result = result_of(notebooks)
    check_schema(result)
    assert result["state"] == worst
    assert result["score"] == (2 if "graded" in states else None)


def test_a_note_is_told_once_and_a_failed_recording_takes_the_score():
    note = Note("limit", "x\x1b")
    result = result_of(
        [graded_notebook("p1", 2), results.notebook_entry("p2", "missing", "not there", [])], [note, note]
    )
    assert result["notes"] == [{"kind": "limit", "message": "x\ufffd"}]
    failed = results.failed(result, "the disk is full")
    check_schema(failed)
    assert (failed["state"], failed["score"]) == ("failed", None)
    assert [n["cause"] for n in failed["notebooks"]] == ["the disk is full", "not there"]


def test_results_are_written_whole_even_with_odd_names(tmp_path: Path):
    result = result_of([graded_notebook("p1", 2)]) | {"student": "half \ud800 平"}
    results.write_json(tmp_path / "deep" / "results.json", result)
    assert json.loads((tmp_path / "deep" / "results.json").read_text("utf-8")) == result
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["results.json"]
    with pytest.raises(ValueError):
        results.write_json(tmp_path / "deep" / "results.json", result | {"score": float("nan")})
    assert json.loads((tmp_path / "deep" / "results.json").read_text("utf-8")) == result


def test_the_schema_itself_is_valid_and_strict():
    from grading_kit import SCHEMA

    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    good = result_of([graded_notebook("p1", 2)])
    for change in (
        {"state": "fine"},
        {"score": -1},
        {"more": 1},
        {"submitted_at": "2026-01-10 23:30"},
        {"notebooks": []},
    ):
        with pytest.raises(jsonschema.ValidationError):
            check_schema(good | change)
