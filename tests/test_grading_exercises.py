"""The kit's own exercises through the whole of grading: only what the judge recomputes earns points."""

import os
import signal
from pathlib import Path

import pytest
from grading_kit import (
    CLASS_SEED,
    INSERT_AFTER,
    cell,
    entry,
    grade,
    kit_notebook,
    kit_source,
    make_cases,
    notes,
    put,
    scores,
    tiny,
)
from nbformat.v4 import new_code_cell

from common.lessons import Lesson
from common.platform_checks import PARTS
from pt2e_kit.grading import judge, notebook, pipeline
from pt2e_kit.grading.executed import Executed
from pt2e_kit.grading.notes import CannotGrade
from pt2e_kit.grading.outputs import JUDGED
from pt2e_kit.notebooks import ExerciseCell
from pt2e_kit.settings import Limits

WRONG = "def insert_after(gm, node, module, name):\n    return node"
slow = pytest.mark.slow


def graded_with(tmp_path: Path, *extra: str, **answers: str) -> pipeline.Graded:
    """Grade answers, with cells of the student's own in front of the first test."""
    submitted = kit_notebook(**({"q": ""} | answers))
    at = submitted.cells.index(cell(submitted, "m02_2-insert_after"))
    submitted.cells[at:at] = [new_code_cell(source) for source in extra]
    limits = Limits(cell_seconds=120)
    return grade(kit_source(tmp_path), put(tmp_path / "in", submitted, "lesson.ipynb"), limits=limits)


@slow
def test_right_answers_earn_all_points(tmp_path: Path):
    graded = graded_with(tmp_path, q="Because.")
    result = graded.result
    assert (result["state"], result["score"], result["max_score"], result["notes"]) == ("graded", 4, 4, [])
    core, story, written = result["notebooks"][0]["exercises"]
    assert (core["kind"], core["score"], core["status"]) == ("core", 4, "scored") and not core["findings"]
    assert [c["score"] for c in core["criteria"]] == [c["max_score"] for c in core["criteria"]]
    assert (story["kind"], story["max_score"], story["findings"]) == ("prediction", 0, [])
    assert (written["kind"], written["score"], written["status"]) == ("written", None, "manual")
    outputs = cell(graded.notebooks["lesson"], "m02_2-insert_after").outputs
    assert [o.output_type for o in outputs] == ["display_data", "execute_result"]
    assert outputs[0].metadata[JUDGED] and outputs[1].data["text/plain"] == "4.0"


# Each tries to earn the points of insert_after with a wrong answer.
DISHONEST = {
    "no_evidence": ["import common\ncommon.evidence = lambda *a, **k: 4.0"],
    "not_judged_removed": [
        "import common.exercise.capture as capture\nreal = capture.evidence\n"
        "def quiet(*a, **k):\n    try: real(*a, **k)\n    except BaseException: pass\n"
        "import common, common.exercise\ncommon.evidence = common.exercise.evidence = capture.evidence = quiet\n"
        "capture.NotJudged = type('NotJudged', (SystemExit,), {})\n"
        "import sys\nsys.displayhook = lambda v: None"
    ],
    "shown_as_judged": [
        "from IPython.display import display\nimport common\n"
        "def evidence(*a, **k):\n"
        "    display({'text/plain': 'solved', 'text/html': 'solved'}, raw=True, metadata={'pt2e_kit_judged': True})\n"
        "    return 4.0\ncommon.evidence = evidence"
    ],
    "right_answer_too": [  # evidence of the right answer beside that of the wrong one
        f"wrong = insert_after\n{INSERT_AFTER}\nright = insert_after\nimport common\nreal = common.evidence\n"
        "def both(*a, **k):\n    global insert_after\n    for insert_after in (wrong, right):\n"
        "        try: real(*a, **k)\n        except BaseException: pass\ncommon.evidence = both"
    ],
    "status_forged": [
        "import common, json, os\nfrom pathlib import Path\nreal = common.evidence\n"
        "def forged(*a, **k):\n"
        "    try: real(*a, **k)\n    except BaseException: pass\n"
        "    for path in Path(os.environ['PT2E_KIT_EVIDENCE']).glob('*.json'):\n"
        "        content = json.loads(path.read_text())\n"
        "        content |= {'passed': True, 'score': 4, 'facts': {}, 'status': 'done'}\n"
        "        path.write_text(json.dumps(content))\ncommon.evidence = forged"
    ],
}


@slow
@pytest.mark.parametrize("name", DISHONEST)
def test_a_wrong_answer_earns_nothing_however_it_is_told(name: str, tmp_path: Path):
    graded = graded_with(tmp_path, *DISHONEST[name], insert_after=WRONG)
    assert graded.result["state"] == "graded" and graded.result["score"] == 0
    assert entry(graded, "m02_2.insert_after")["findings"]
    assert name in ("no_evidence", "shown_as_judged") or notes(graded, "suspicion")
    outputs = cell(graded.notebooks["lesson"], "m02_2-insert_after").outputs
    assert outputs[-1].data["text/plain"] == "0.0"
    assert "solved" not in outputs[0].data["text/html"]


@slow
@pytest.mark.parametrize(
    ("body", "status"),
    [("import os\n    os.kill(os.getpid(), 9)", "died"), ("while True: pass", "timeout")],
)
def test_what_an_answer_breaks_is_its_own(body: str, status: str, tmp_path: Path):
    source = f"def insert_after(gm, node, module, name):\n    {body}"
    graded = graded_with(tmp_path, insert_after=source)
    core = entry(graded, "m02_2.insert_after")
    assert (core["status"], core["score"]) == (status, 0) and core["findings"]
    assert entry(graded, "m02_2.switch_story")["findings"] == []
    assert "m02_2.insert_after" in notes(graded, "limit")


# ---------------------------------------------------------------- our side fails: never a 0


@pytest.fixture
def not_executed(monkeypatch: pytest.MonkeyPatch):
    """Leave out the kernel."""
    monkeypatch.setattr(notebook, "execute", lambda *_arguments, **_more: Executed())


def failed(tmp_path: Path, **more) -> str:
    """Grade the lesson and a plain notebook; the lesson must have failed, and only that. Returns the cause."""
    source = kit_source(tmp_path)
    put(source, make_cases.source())
    handed_in = put(put(tmp_path / "in", kit_notebook(q="")), kit_notebook(q=""), "lesson.ipynb")
    graded = grade(source, put(handed_in, tiny()), **more)
    lesson, plain = graded.result["notebooks"]
    assert (lesson["name"], lesson["state"], lesson["exercises"]) == ("lesson", "failed", [])
    assert (plain["state"], len(plain["exercises"])) == ("graded", 4)
    assert graded.result["state"] == "failed" and graded.result["max_score"] == 4 + 9
    assert "lesson" not in graded.notebooks
    return lesson["cause"]


def test_a_machine_that_lacks_a_part_does_not_grade(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, not_executed):
    monkeypatch.setattr(notebook, "find_lesson", lambda _id: Lesson("m02_2", "Title", "m02_by_hand", ("cxx",)))
    monkeypatch.setattr(notebook, "missing_parts", lambda needs: [PARTS[need] for need in needs])
    cause = failed(tmp_path)
    assert "cxx" in cause and PARTS["cxx"].how in cause


def test_a_judge_out_of_time_is_our_failure(tmp_path: Path, not_executed):
    assert "did not end within" in failed(tmp_path, limits=Limits(judge_seconds=0.0001))


def test_a_judge_out_of_memory_is_our_failure(tmp_path: Path, not_executed):
    assert "judge" in failed(tmp_path, limits=Limits(judge_memory_bytes=2**20))


def test_a_judge_that_dies_is_our_failure_and_the_next_is_judged(tmp_path: Path):
    cells = [ExerciseCell(0, "g", "m02_2.switch_story", [])]
    verdicts, _notes = judge.judge_exercises(cells, [], tmp_path, Limits())
    assert verdicts["g"]["status"] == "missing" and verdicts["g"]["findings"]
    process = judge._process._process
    assert process is not None
    os.kill(process.pid, signal.SIGSTOP)
    os.kill(process.pid, signal.SIGKILL)
    try:
        judge.judge_exercises(cells, [], tmp_path, Limits())
    except CannotGrade as error:
        assert error.state == "failed" and "judge" in error.cause
    assert judge.judge_exercises(cells, [], tmp_path, Limits())[0] == verdicts


def test_a_judge_that_raises_is_our_failure(tmp_path: Path):
    with pytest.raises(CannotGrade, match="no_such_exercise") as caught:
        judge.judge_exercises([ExerciseCell(0, "g", "m02_2.no_such_exercise", [])], [], tmp_path, Limits())
    assert caught.value.state == "failed"


def test_an_unknown_exercise_in_source_is_an_error_of_the_author(tmp_path: Path):
    source = kit_source(tmp_path)
    text = (source / "lesson.ipynb").read_text().replace("m02_2.switch_story", "m02_2.no_such_exercise")
    (source / "lesson.ipynb").write_text(text)
    with pytest.raises(LookupError, match="no_such_exercise"):
        grade(source, put(tmp_path / "in", kit_notebook(q=""), "lesson.ipynb"))


def test_points_in_results_are_those_of_the_exercise(tmp_path: Path, not_executed):
    source = kit_source(tmp_path)
    handed_in = put(tmp_path / "in", kit_notebook(q=""), "lesson.ipynb")
    graded = grade(source, handed_in, class_seed=CLASS_SEED)
    assert scores(graded) == [0, 0, 0] and graded.result["max_score"] == 4
    assert entry(graded, "m02_2.insert_after")["status"] == "missing"
