#!/usr/bin/env python
"""Writes a tiny nbgrader source notebook and one submission folder per failure case.

usage: make_cases.py [OUT]      (OUT defaults to this file's folder)
  OUT/_source/a1/p1.ipynb       instructor version (10 points: q1t 2, q2t 3, q3t 4 partial, m4 1 manual)
  OUT/<case>/...                what a student handed in (copied to submitted/<id>/a1/)
expected.json beside this file says what the right outcome of each case is. Only nbformat is needed.
"""
# ruff: noqa: PTH100, PTH101, PTH103, PTH112, PTH118, PTH120, PTH123, PTH211

import copy
import json
import os
import shutil
import sys

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

KS = {"name": "python3", "display_name": "Python 3", "language": "python"}


def md(gid, grade, solution, locked, points=None, ctype="code"):
    m = {
        "grade": grade,
        "grade_id": gid,
        "locked": locked,
        "schema_version": 3,
        "solution": solution,
        "task": False,
        "cell_type": ctype,
    }
    if points is not None:
        m["points"] = points
    d = {"nbgrader": m}
    if locked:
        d.update(deletable=False, editable=False)
    return d


Q1_SRC = "def square(x):\n    ### BEGIN SOLUTION\n    return x * x\n    ### END SOLUTION"
T1_PUB = "assert square(3) == 9"
T1_HID = "### BEGIN HIDDEN TESTS\nassert square(-4) == 16\nassert square(11) == 121  # SECRET-H1\n### END HIDDEN TESTS"
Q2_SRC = "def mean(xs):\n    ### BEGIN SOLUTION\n    return sum(xs) / len(xs)\n    ### END SOLUTION"
T2 = "from common import ref_mean\nassert abs(mean([1, 2, 6]) - ref_mean([1, 2, 6])) < 1e-9"
COMMON = "def ref_mean(xs):\n    return sum(xs) / len(xs)\n"
Q3_SRC = "def score_words(ws):\n    ### BEGIN SOLUTION\n    return [len(w) for w in ws]\n    ### END SOLUTION"
T3 = "got = 0\nfor w in ['a', 'bb', 'ccc', 'dddd']:\n    got += int(score_words([w]) == [len(w)])\ngot"


def source():
    nb = new_notebook(metadata={"kernelspec": KS})
    nb.cells = [
        new_markdown_cell("# Tiny problem set", metadata=md("intro", False, False, True, None, "markdown")),
        new_code_cell(Q1_SRC, metadata=md("q1", False, True, False)),
        new_code_cell(T1_PUB + "\n" + T1_HID, metadata=md("q1t", True, False, True, 2)),
        new_code_cell(Q2_SRC, metadata=md("q2", False, True, False)),
        new_code_cell(T2, metadata=md("q2t", True, False, True, 3)),
        new_code_cell(Q3_SRC, metadata=md("q3", False, True, False)),
        new_code_cell(T3, metadata=md("q3t", True, False, True, 4)),
        new_markdown_cell("Explain why the mean can mislead.", metadata=md("m4", True, True, False, 1, "markdown")),
    ]
    return nb


GOOD = {
    "q1": "def square(x):\n    return x * x",
    "q2": "def mean(xs):\n    return sum(xs) / len(xs)",
    "q3": "def score_words(ws):\n    return [len(w) for w in ws]",
    "m4": "One far value moves it.",
}
STUB = "# YOUR CODE HERE\nraise NotImplementedError()"


def student(**over):
    """A submission: release version with the given answers; default is a full answer."""
    nb = source()
    for c in nb.cells:
        g = c.metadata.nbgrader.grade_id
        if g == "q1t":
            c.source = T1_PUB
        if g in GOOD:
            c.source = over.get(g, GOOD[g])
    return nb


def cell(nb, gid):
    return next(c for c in nb.cells if c.metadata.get("nbgrader", {}).get("grade_id") == gid)


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


def put(d, nb, name="p1.ipynb"):
    os.makedirs(d, exist_ok=True)
    with open(os.path.join(d, name), "w", encoding="utf-8") as f:
        json.dump(nb, f, indent=1, ensure_ascii=False)


def w(d, name, text, mode="w", **k):
    os.makedirs(os.path.dirname(os.path.join(d, name)), exist_ok=True)
    with open(os.path.join(d, name), mode, **k) as f:
        f.write(text)


# ---------------------------------------------------------------- structure
@case
def good(d):
    put(d, student())


@case
def blank(d):
    put(
        d,
        student(
            q1="def square(x):\n    " + STUB.replace("\n", "\n    "),
            q2="def mean(xs):\n    " + STUB.replace("\n", "\n    "),
            q3="def score_words(ws):\n    " + STUB.replace("\n", "\n    "),
            m4="YOUR ANSWER HERE",
        ),
    )


@case
def dup_test_cell(d):
    nb = student()
    i = nb.cells.index(cell(nb, "q1t"))
    c = copy.deepcopy(nb.cells[i])
    c.id = "dupe0001"
    nb.cells.insert(i + 1, c)
    put(d, nb)


@case
def dup_solution_cell(d):  # first attempt kept above, good answer in the copy
    nb = student()
    i = nb.cells.index(cell(nb, "q1"))
    c = copy.deepcopy(nb.cells[i])
    c.id = "dupe0002"
    c.source = "def square(x):\n    return x + x  # first try"
    nb.cells.insert(i, c)
    put(d, nb)


@case
def deleted_test_cell(d):
    nb = student()
    nb.cells.remove(cell(nb, "q2t"))
    put(d, nb)


@case
def deleted_manual_cell(d):
    nb = student()
    nb.cells.remove(cell(nb, "m4"))
    put(d, nb)


@case
def deleted_solution_cell(d):
    nb = student()
    nb.cells.remove(cell(nb, "q2"))
    put(d, nb)


@case
def merged_cells(d):  # answer merged with its test; only the upper cell's metadata is left
    nb = student()
    a, b = cell(nb, "q1"), cell(nb, "q1t")
    a.source += "\n" + b.source
    nb.cells.remove(b)
    put(d, nb)


@case
def test_to_markdown(d):
    nb = student()
    i = nb.cells.index(cell(nb, "q1t"))
    c = nb.cells[i]
    nb.cells[i] = new_markdown_cell(c.source, metadata=c.metadata)
    put(d, nb)


@case
def edited_test_and_points(d):
    nb = student(q1="def square(x):\n    return 0")
    c = cell(nb, "q1t")
    c.source = "assert True"
    c.metadata.nbgrader.points = 100
    put(d, nb)


@case
def metadata_stripped(d):  # saved by a tool that keeps only its own cell metadata
    nb = student()
    for c in nb.cells:
        c.metadata = {"id": c.id}
    nb.metadata["colab"] = {"provenance": []}
    put(d, nb)


@case
def answer_in_new_cell(d):  # answer typed in a fresh cell, stub left in place after it
    nb = student(q1="def square(x):\n    " + STUB.replace("\n", "\n    "))
    i = nb.cells.index(cell(nb, "q1"))
    nb.cells.insert(i, new_code_cell(GOOD["q1"]))
    put(d, nb)


@case
def stale_fake_outputs(d):
    nb = student(q1="def square(x):\n    return 1")
    c = cell(nb, "q1t")
    c.execution_count = 5
    c.outputs = [nbformat.v4.new_output("execute_result", {"text/plain": "2.0"}, execution_count=5)]
    put(d, nb)


# ---------------------------------------------------------------- files
@case
def renamed_copy(d):
    put(d, student(), "p1 (1).ipynb")


@case
def renamed_plus_original(d):
    put(d, student(q1="def square(x):\n    return 0"))
    put(d, student(), "p1-final.ipynb")


@case
def nested_folder(d):
    put(os.path.join(d, "a1"), student())


@case
def checkpoints_included(d):
    put(d, student())
    put(os.path.join(d, ".ipynb_checkpoints"), student(q1="def square(x):\n    return 0"), "p1-checkpoint.ipynb")


@case
def html_alongside(d):
    put(d, student())
    w(d, "p1.html", "<html>exported</html>")


@case
def empty_file(d):
    w(d, "p1.ipynb", "")


@case
def truncated_json(d):
    s = json.dumps(student(), indent=1)
    w(d, "p1.ipynb", s[: len(s) // 2])


@case
def utf8_bom_crlf(d):
    s = json.dumps(student(), indent=1, ensure_ascii=False).replace("\n", "\r\n")
    w(d, "p1.ipynb", b"\xef\xbb\xbf" + s.encode(), "wb")


@case
def crlf_inside_sources(d):
    nb = student()
    for c in nb.cells:
        c.source = c.source.replace("\n", "\r\n")
    put(d, nb)


@case
def nbformat3(d):
    w(d, "p1.ipynb", nbformat.writes(nbformat.convert(student(), 3), version=3))


@case
def nbformat_major_future(d):
    nb = student()
    nb.nbformat = 5
    nb.nbformat_minor = 0
    put(d, nb)


@case
def no_ids_in_45(d):
    nb = student()
    for c in nb.cells:
        c.pop("id")
    put(d, nb)


@case
def unknown_kernel(d):
    nb = student()
    nb.metadata.kernelspec = {"name": "conda-env-ml-py", "display_name": "Python [conda env:ml]", "language": "python"}
    put(d, nb)


@case
def not_a_notebook(d):
    w(d, "p1.ipynb", "<!DOCTYPE html><html><body>Sign in</body></html>")


@case
def cjk_emoji_text(d):
    put(
        d,
        student(
            q1="def square(x):\n    # \u5e73\u65b9 \U0001f600\n    return x * x",
            m4="\u5e73\u5747\u503c \U0001f4c9 caf\u00e9 \u2264 \u2080",
        ),
    )


@case
def null_byte_in_source(d):
    put(d, student(q2="def mean(xs):\n    return sum(xs) / len(xs)\x00"))


@case
def symlink_to_source(d):
    put(d, student())
    os.symlink("../../../source/a1/p1.ipynb", os.path.join(d, "notes.txt"))


@case
def unreadable_file(d):
    put(d, student())
    w(d, "data.txt", "x")
    os.chmod(os.path.join(d, "data.txt"), 0)


@case
def shadow_helper_edited(d):  # same file name as the course helper: must be replaced by the master copy
    put(d, student(q2="def mean(xs):\n    return 0"))
    w(d, "common.py", "def ref_mean(xs):\n    return 0\n")


@case
def shadow_helper_pyc(d):  # a leftover extension-like file / cache folder next to the helper
    put(d, student())
    w(d, "__pycache__/common.cpython-311.pyc", b"junk", "wb")


@case
def shadow_nbgrader_config(d):  # a config file inside the submission folder
    put(d, student(q1="def square(x):\n    return 0"))
    w(d, "nbgrader_config.py", "raise RuntimeError('config from the submission was read')\n")


# ---------------------------------------------------------------- execution
@case
def error_before_tests(d):
    put(d, student(q1=GOOD["q1"] + "\nprint(undefined_name)"))


@case
def syntax_error_in_answer(d):
    put(d, student(q2="def mean(xs)\n    return sum(xs) / len(xs)"))


@case
def infinite_loop_top(d):
    put(d, student(q2=GOOD["q2"] + "\nwhile True:\n    pass"))


@case
def infinite_loop_in_test(d):
    put(d, student(q2="def mean(xs):\n    while True:\n        pass"))


@case
def kernel_killed(d):
    put(d, student(q2="import os, signal\ndef mean(xs):\n    os.kill(os.getpid(), signal.SIGKILL)"))


@case
def exit_call(d):
    put(d, student(q1=GOOD["q1"] + "\nexit()"))


@case
def sys_exit_in_answer(d):
    put(d, student(q2="import sys\ndef mean(xs):\n    sys.exit(0)"))


@case
def input_call(d):
    put(d, student(q1="n = int(input('n? '))\n" + GOOD["q1"]))


@case
def giant_output(d):
    put(d, student(q1=GOOD["q1"] + "\nfor i in range(300000):\n    print('x' * 80, i)"))


@case
def warning_in_answer(d):
    put(
        d,
        student(
            q2="import warnings\ndef mean(xs):\n    warnings.warn('old name', FutureWarning)\n    return sum(xs) / len(xs)"
        ),
    )


@case
def logging_warning(d):
    put(d, student(q2="import logging\ndef mean(xs):\n    logging.warning('computing')\n    return sum(xs) / len(xs)"))


@case
def print_in_answer(d):
    put(d, student(q2="def mean(xs):\n    print('debug', xs)\n    return sum(xs) / len(xs)"))


@case
def chdir_away(d):
    put(d, student(q1=GOOD["q1"] + "\nimport os; os.chdir('/')"))


@case
def absolute_path(d):
    put(d, student(q1="open('/home/s01/Desktop/data.csv').read()\n" + GOOD["q1"]))


@case
def flaky_random(d):
    put(d, student(q2="import random\ndef mean(xs):\n    return sum(xs) / len(xs) if random.random() < .5 else 0"))


@case
def symlink_notebook(d):  # the notebook itself is a link to another student's file
    os.makedirs(d, exist_ok=True)
    os.symlink("../../../source/a1/p1.ipynb", os.path.join(d, "p1.ipynb"))


@case
def torchao_import_in_answer(
    d,
):  # needs torch + torchao in the kernel; the library writes notes to stderr on first import
    put(
        d,
        student(
            q2="def mean(xs):\n    from torchao.quantization.pt2e.quantize_pt2e import prepare_pt2e\n    return sum(xs) / len(xs)"
        ),
    )


@case
def solution_shadows_builtin(d):
    put(d, student(q1="list = [1, 2, 3]\nsum = 0\n" + GOOD["q1"]))


# ---------------------------------------------------------------- partial credit
@case
def partial_zero(d):
    put(d, student(q3="def score_words(ws):\n    return []"))


@case
def partial_two(d):
    put(d, student(q3="def score_words(ws):\n    return [len(w) for w in ws] if len(ws[0]) < 3 else []"))


# ---------------------------------------------------------------- gaming
@case
def game_always_equal(d):
    put(d, student(q1="class E:\n    def __eq__(s, o): return True\ndef square(x):\n    return E()"))


@case
def game_showtraceback(d):
    put(
        d,
        student(
            q1="import IPython.core.interactiveshell as s\ns.InteractiveShell.showtraceback = lambda *a, **k: None\ndef square(x):\n    return 0"
        ),
    )


@case
def game_print_history(d):  # send the hidden test text into the visible output
    put(d, student(q1="def square(x):\n    print(In[-1])\n    return x * x"))


@case
def game_read_source(d):  # read the instructor version on the grading machine
    put(
        d,
        student(
            q1="import json\nnb = json.load(open('../../../source/a1/p1.ipynb'))\nsrc = [''.join(c['source']) for c in nb['cells'] if 'def square' in ''.join(c['source'])][0]\nexec(src)"
        ),
    )


@case
def game_transformer(d):  # rewrite later cells before they run
    put(
        d,
        student(
            q1="def square(x):\n    return 0\ndef _t(lines):\n    return ['pass\\n'] if any('assert' in l for l in lines) else lines\nget_ipython().input_transformers_cleanup.append(_t)",
            q2="def mean(xs):\n    return 0",
        ),
    )


@case
def game_leftover_cell(d):  # overwrite the sibling test's helper in a last cell: must not matter
    nb = student()
    nb.cells.append(new_code_cell("def square(x): return 0"))
    put(d, nb)


# ---------------------------------------------------------------- timestamps (same good notebook)
TS = {
    "ts_utc": "2026-01-10 23:30:00.000000 UTC",
    "ts_iso_plus8": "2026-01-11T07:30:00+08:00",
    "ts_naive": "2026-01-10 23:30:00",
    "ts_dmy": "10/01/2026 23:30",
    "ts_garbage": "yesterday evening",
    "ts_empty": "",
}
for _n, _t in TS.items():

    def _f(d, t=_t):
        put(d, student())
        w(d, "timestamp.txt", t, newline="")

    CASES[_n] = _f


def write_source(out):
    put(os.path.join(out, "_source", "a1"), source())
    w(os.path.join(out, "_source", "a1"), "common.py", COMMON)


def write_case(out, name):
    d = os.path.join(out, name)
    if os.path.isdir(d):
        shutil.rmtree(d)
    os.makedirs(d)
    CASES[name](d)


if __name__ == "__main__":
    OUT = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
    write_source(OUT)
    for n in CASES:
        write_case(OUT, n)
    print(len(CASES), "cases in", OUT)
