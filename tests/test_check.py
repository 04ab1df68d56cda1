"""`check` and `hint` in a notebook: every way not to have an answer yet has its own sentence."""

import warnings

import pytest
from IPython.testing.globalipapp import start_ipython

from common.exercise.notebook import CheckFailed, check, hint, remember_own_names
from common.exercise.progress import read_progress
from common.exercise.tried import Tried

SOLUTION = """
def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)
    return new
"""
ID = "m02_2.insert_after"


@pytest.fixture
def shell():
    shell = start_ipython() or __import__("IPython").get_ipython()
    remember_own_names()
    shell.reset()
    shell.history_manager.input_hist_parsed[:] = [""]
    shell.user_ns["In"] = shell.history_manager.input_hist_parsed
    yield shell
    shell.reset()


def _run(shell, source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        shell.run_cell(source, store_history=True, silent=False)


def _symptom(shell, *cells: str) -> str:
    for cell in cells:
        _run(shell, cell)
    with pytest.raises(CheckFailed) as failed:
        check(ID)
    return str(failed.value)


def test_right_answer(shell, capsys: pytest.CaptureFixture[str]) -> None:
    _run(shell, SOLUTION)
    check(ID)
    assert "✓ m02_2.insert_after: solved (4 of 4 points)" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("", "run the cell with your answer first"),
        ("def insert_after(gm, node, module, name)\n    return 1", "cannot be read by Python"),
        ("insert_after = 3", "not something that can be called: it is of type int"),
        ("def insert_after(gm, node):\n    return node", "does not take the parameters"),
        ("def insert_after(gm, node, module, name):\n    raise NotImplementedError()", "still as it was handed out"),
        ("def insert_after(gm, node, module, name):\n    return gm.nothing", "AttributeError was raised"),
        ("def insert_after(gm, node, module, name):\n    pass", "No node of the graph calls the module"),
        ("def insert_after(gm, node, module, name):\n    raise SystemExit", "SystemExit was raised"),
    ],
)
def test_each_failure_has_its_own_sentence(shell, cell: str, sentence: str) -> None:
    assert sentence in _symptom(shell, cell)


def test_traceback_is_the_students_own(shell, capsys: pytest.CaptureFixture[str]) -> None:
    _symptom(shell, "def helper(x):\n    return x.nothing\n", SOLUTION.replace("gm.add_submodule", "helper(gm).add"))
    told = capsys.readouterr().out
    assert "line 2, in helper" in told
    assert "common/" not in told
    assert "probing" not in told
    assert "case 1" in told


def test_error_shows_one_line_and_no_traceback(shell) -> None:
    try:
        check(ID)
    except CheckFailed as error:
        (line,) = error._render_traceback_()
        assert line.startswith("✗ m02_2.insert_after: ")


def test_a_students_own_check_is_left_alone(shell) -> None:
    _run(shell, "def check(user, new):\n    return user is not new\n")
    _run(shell, SOLUTION.replace("lambda user: user is not new", "lambda user: check(user, new)"))
    _run(shell, f"from common import check\ncheck({ID!r})\nsolved = True")
    assert shell.user_ns.get("solved")


def test_check_keeps_the_students_random_state(shell) -> None:
    import torch

    _run(shell, SOLUTION)
    torch.manual_seed(3)
    wanted = torch.rand(3)
    torch.manual_seed(3)
    check(ID)
    assert torch.equal(torch.rand(3), wanted)


def test_hints_come_one_after_the_other(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(4):
        hint("m02_2.build_manual")
    told = capsys.readouterr().out
    assert "Hint 1 of 3" in told
    assert "Hint 3 of 3" in told
    assert "You have seen all 3 hints" in told


def test_unknown_exercise_names_a_near_one() -> None:
    with pytest.raises(LookupError, match=r"Did you mean.*m02_2\.insert_after"):
        check("m02_2.insert_aftr")


def test_one_criterion_after_the_other(shell, capsys: pytest.CaptureFixture[str]) -> None:
    """As test files of otter ask: the answer is tried once, and each criterion says what concerns it."""
    _run(shell, SOLUTION.replace(", delete_user_cb=lambda user: user is not new", ""))
    tried = Tried(ID)
    assert "insert_after" not in capsys.readouterr().out
    tried.criterion("module found")
    with pytest.raises(CheckFailed, match=r"its own input(.|\n)*Why: The new node reads the old one"):
        tried.criterion("spliced in")
    assert capsys.readouterr().out.count("✗ m02_2.insert_after: not yet") == 1
    with pytest.raises(KeyError):
        tried.criterion("no such criterion")
    _run(shell, SOLUTION)
    again = Tried(ID)
    for name in ("module found", "spliced in", "consumers moved"):
        again.criterion(name)


def test_a_check_is_noted_and_offers_what_comes_next(
    shell, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("PT2E_KIT_PROGRESS", str(tmp_path / "progress.json"))
    _symptom(shell, "def insert_after(gm, node, module, name):\n    pass")
    _run(shell, SOLUTION)
    check(ID)
    assert "Next: m02_2.observer_from_spec (practice, 10 minutes)" in capsys.readouterr().out
    entry = read_progress()[ID]
    assert (entry["tries"], entry["passed"], entry["hidden"]) == (2, True, False)
