"""The program `pt2e-kit`: helps, exit codes, errors in one line, JSON, and nothing hostile on the terminal."""

import json
import re
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from commands import ROOT, Done, copy_checkout, kit, run

from common import platform_checks
from common.exercise import all_exercises
from common.platform_checks import Found, Part
from pt2e_kit.authoring.listing import exercise_rows
from pt2e_kit.cli import app, console
from pt2e_kit.cli.grading import show_results

COMMANDS = (
    "grade", "grade-one", "report", "export", "collect", "otter", "release", "solutions", "fmt", "new-exercise", "doctor",
    "exercises", "demo", "start", "lab", "check", "watch", "progress",
)  # fmt: skip
HOSTILE = "[red]x[/red]\x1b[31m\x07\u202e"
HARMLESS = "[red]x[/red]\\x1b[31m\\x07\\u202e"


# -- help


def test_help_names_every_command(call: Callable[..., Done]) -> None:
    done = call("--help")
    assert done.code == 0 and not done.err
    for name in COMMANDS:
        assert re.search(rf"^\W*{name} ", done.out, re.MULTILINE)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_a_command_has_an_example(name: str, call: Callable[..., Done]) -> None:
    done = call(name, "-h")
    assert done.code == 0 and not done.err
    assert f"Example: pt2e-kit {name}" in done.out


def test_no_arguments_show_the_help(call: Callable[..., Done]) -> None:
    done = call()
    assert done.code == 2
    assert "grade-one" in done.out + done.err


def test_both_ways_to_start_it() -> None:
    for command in (["pt2e-kit"], [sys.executable, "-m", "pt2e_kit"]):
        assert run([*command, "fmt", "-h"], ROOT).returncode == 0
        assert run([*command, "new-exercise", "m99", "x"], ROOT).returncode == 2


# -- nothing heavy at start


@pytest.mark.parametrize("arguments", [["--help"], ["exercises", "--json"], ["progress"], ["grade", "nothing"]])
def test_start_is_light(arguments: list[str]) -> None:
    code = (
        "import sys, atexit, pt2e_kit.cli\n"
        "heavy = ('torch', 'torchao', 'nbgrader', 'nbclient', 'IPython', 'matplotlib')\n"
        "atexit.register(lambda: print([m for m in heavy if m in sys.modules], file=sys.stderr))\n"
        f"pt2e_kit.cli.app({arguments!r})\n"
    )
    done = run([sys.executable, "-c", code], ROOT)
    if arguments[0] == "grade":  # it grades, so nbgrader may come, but torch belongs to the graders' processes
        assert "'torch'" not in done.stderr.splitlines()[-1]
    else:
        assert done.stderr.splitlines()[-1] == "[]"


def test_importing_common_does_not_load_torch() -> None:
    modules = ["common", "common.exercise", "common.checks", "common.env", "common.viz", "nbformat"]
    modules += [f"common.checks.{e.lesson}.{e.name}" for e in all_exercises()]
    code = f"import sys, {', '.join(modules)}; print('torch' in sys.modules)"
    assert run([sys.executable, "-c", code], ROOT).stdout == "False\n"


# -- errors


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["release", "m99_nothing"], ["no assignment 'm99_nothing'", "m02_by_hand"]),
        (["solutions", "m02_by_hand", "m99_nothing"], ["no assignment 'm99_nothing'"]),
        (["grade", "m99_nothing"], ["no assignment 'm99_nothing'"]),
        (["grade", "m02_by_hand", "--student", "nobody"], ["nobody has handed in nothing", "submitted"]),
        (["grade", "m02_by_hand", "--course", "/"], ["no course here", "nbgrader_config.py"]),
        (["grade-one", "--source", "gone", "--submission", "gone", "--out", "r.json"], ["--source: gone is not a"]),
        (["grade-one", "--source", "docs", "--submission", "docs", "--out", "r.json"], ["no instructor notebook"]),
        (["grade-one", "--source", "docs", "--submission", "docs", "--out", "docs"], ["--out: docs is a folder"]),
        (["fmt", "gone.ipynb"], ["gone.ipynb: No such file"]),
        (["fmt", "README.md"], ["README.md: ", "JSON"]),
        (["new-exercise", "m99", "x"], ["no lesson 'm99'", "m02_2"]),
        (["new-exercise", "m02_2", "class"], ["'class' cannot be the name"]),
        (["new-exercise", "m02_2", "../x"], ["'../x' cannot be the name"]),
        (["new-exercise", "m02_2", "insert_after"], ["insert_after.py is there already", "nothing was written"]),
        (["start", "m02_9"], ["no lesson 'm02_9'", "m02_2"]),
        (["start", "m02_2", "--course", "/"], ["no course here"]),
        (["lab", "m02_9"], ["no lesson 'm02_9'", "m02_2"]),
        (["check", "gone.ipynb"], ["gone.ipynb: No such file"]),
        (["check", "README.md"], ["README.md: it does not begin like a notebook"]),
        (["progress", "m02_9"], ["no lesson 'm02_9'", "m02_2"]),
        (["demo", "--folder", "tests"], ["tests holds something that the demo did not make", "--folder"]),
    ],
    ids=lambda v: " ".join(v[:3]) if isinstance(v, list) else None,
)
def test_wrong_usage_is_told_in_one_line(arguments: list[str], words: list[str], call: Callable[..., Done]) -> None:
    done = call(*arguments)
    assert done.code == 2, done.err
    (line,) = done.err.splitlines()
    assert line.startswith("pt2e-kit: ")
    for word in words:
        assert word in line
    assert not done.out


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["frobnicate"], "frobnicate"),
        (["grade"], "assignment"),
        (["grade", "m02_by_hand", "--jobs", "0"], "--jobs"),
        (["grade-one"], "--source"),
        (["fmt", "--nothing"], "--nothing"),
    ],
)
def test_what_typer_refuses_is_wrong_usage(arguments: list[str], word: str, call: Callable[..., Done]) -> None:
    done = call(*arguments)
    assert done.code == 2
    assert word in done.err and "Traceback" not in done.err


def test_nothing_handed_in_is_exit_code_1(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("source",), ("nbgrader_config.py",))
    done = kit("grade", "m02_by_hand", folder=tmp_path)
    assert done.returncode == 1, done.stderr
    assert "nothing was handed in" in done.stdout
    assert "Traceback" not in done.stderr


def test_a_course_is_found_from_a_folder_inside(tmp_path: Path) -> None:
    copy_checkout(tmp_path, ("source",), ("nbgrader_config.py",))
    assert kit("fmt", "--check", folder=tmp_path / "source" / "m02_by_hand").returncode == 0


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (RuntimeError("the disk is full\nreally"), 1, "the disk is full really"),
        (PermissionError(13, "Permission denied", "results.json"), 1, "results.json: Permission denied"),
        (KeyError("no such thing"), 2, "pt2e-kit: no such thing"),
        (ZeroDivisionError("1/0"), 1, "error of the kit itself: ZeroDivisionError: 1/0. Run it again with --debug"),
    ],
)
def test_errors_of_each_kind(
    error: Exception, code: int, words: str, monkeypatch: pytest.MonkeyPatch, call: Callable[..., Done]
) -> None:
    def broken(*_args: object) -> None:
        raise error

    monkeypatch.setattr("pt2e_kit.authoring.listing.exercise_rows", broken)
    done = call("exercises")
    assert done.code == code
    (line,) = done.err.splitlines()
    assert words in line
    with pytest.raises(type(error)):
        app(["exercises", "--debug"])


# -- exercises and doctor


def test_exercises_as_json(call: Callable[..., Done]) -> None:
    rows = json.loads(call("exercises", "--json").out)
    assert [row["id"] for row in rows] == [e.id for e in all_exercises()]
    fields = ["id", "lesson", "module", "title", "kind", "points", "minutes", "accept", "reject"]
    for row, exercise in zip(rows, all_exercises(), strict=True):
        assert list(row) == fields
        assert (row["lesson"], row["module"]) == (exercise.lesson, exercise.module)
        assert row["kind"] in ("core", "practice", "prediction")
        assert (row["points"], row["minutes"]) == (exercise.points, exercise.minutes)
        assert row["title"] and "\n" not in row["title"]
        bank = ROOT / "tests" / "answers" / exercise.lesson / exercise.name
        assert row["accept"] == len(list(bank.glob("accept_*.py"))) > 0
        assert row["reject"] == len(list(bank.glob("reject_*.py"))) > 0


def test_exercises_as_a_table(call: Callable[..., Done]) -> None:
    done = call("exercises")
    assert done.code == 0
    for exercise in all_exercises():
        assert exercise.id in done.out


def test_without_the_bank_counts_are_null(tmp_path: Path) -> None:
    rows = exercise_rows(tmp_path / "nothing")
    assert rows and all(row["accept"] is None and row["reject"] is None for row in rows)


def test_an_installed_package_needs_no_checkout(tmp_path: Path) -> None:
    """The packages alone, as a wheel installs them: the list has no counts, and the demo says what it needs."""
    copy_checkout(tmp_path / "site", ("common", "pt2e_kit"), ())
    (tmp_path / "elsewhere").mkdir()
    where = {"folder": tmp_path / "elsewhere", "PYTHONPATH": str(tmp_path / "site")}
    rows = json.loads(kit("exercises", "--json", **where).stdout)
    assert rows and all(row["accept"] is None for row in rows)
    assert "—" in kit("exercises", **where).stdout
    done = kit("demo", **where)
    assert done.returncode == 2
    assert "needs a checkout" in done.stderr


def test_doctor_as_json(call: Callable[..., Done]) -> None:
    done = call("doctor", "--json")
    rows = {row["id"]: row for row in json.loads(done.out)}
    assert list(rows) == list(platform_checks.PARTS)
    fields = {"id", "present", "version", "wanted", "required", "purpose", "how", "without"}
    for row in rows.values():
        assert set(row) == fields
        good = row["present"] and row["wanted"] is None
        assert good == (row["how"] is None), "how to get it is said where it is missing, and only there"
    broken = [row for row in rows.values() if row["required"] and row["how"]]
    assert done.code == bool(broken)


def test_doctor_on_a_machine_that_lacks_something(monkeypatch: pytest.MonkeyPatch, call: Callable[..., Done]) -> None:
    press = Part("press", "prints", "buy one", lambda: Found(False), substitute="write by hand")
    monkeypatch.setattr(platform_checks, "PARTS", {"press": press})
    done = call("doctor")
    assert done.code == 0
    assert all(word in done.out for word in ("press", "prints", "buy one", "write by hand"))
    ink = Part("ink", "prints", "buy some", lambda: Found(True, "1.0", ">=2"), required=True)
    monkeypatch.setattr(platform_checks, "PARTS", {"press": press, "ink": ink})
    done = call("doctor")
    assert done.code == 1
    assert "needs version >=2: buy some" in done.out
    assert "nothing works without: ink" in done.err


# -- nothing from a submission steers the terminal


def test_plain_text_shows_what_could_steer_a_terminal() -> None:
    assert console.plain(HOSTILE) == HARMLESS
    assert console.plain("naïve ✓ 步驟") == "naïve ✓ 步驟"
    assert console.plain("a\nb\u2028\U000e0001") == "a\\x0ab\\u2028\\U000e0001"


def test_every_way_to_print_is_safe(capsys: pytest.CaptureFixture[str]) -> None:
    console.say(HOSTILE)
    console.say_json({HOSTILE: HOSTILE})
    console.stdout().print(console.table([HOSTILE], [[HOSTILE]]))
    console.complain(HOSTILE)
    told = capsys.readouterr()
    assert told.err == f"pt2e-kit: {HARMLESS}\n"
    assert told.out.startswith(HARMLESS)
    for character in "\x1b\x07\u202e":
        assert character not in told.out


def test_hostile_names_in_results(capsys: pytest.CaptureFixture[str]) -> None:
    notebook = {"name": HOSTILE, "state": "unreadable", "cause": HOSTILE, "exercises": []}
    result = {"student": HOSTILE, "state": "unreadable", "score": None, "max_score": 10}
    show_results([result | {"notebooks": [notebook], "notes": [{"kind": "repair", "message": HOSTILE}]}])
    told = capsys.readouterr().out
    assert told.count(HARMLESS) == 2
    assert "\x1b" not in told and "\u202e" not in told


def test_hostile_arguments_in_an_error(call: Callable[..., Done]) -> None:
    done = call("release", HOSTILE)
    assert done.code == 2
    assert "\x1b" not in done.err and "\x07" not in done.err
    assert len(done.err.splitlines()) == 1
