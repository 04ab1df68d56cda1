"""Evidence crosses from a process that is not trusted: what is odd costs its case and is noted, and nothing breaks."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from answers_bank import BANK

from common.checks._nets import exported
from common.exercise import Case, find_exercise
from common.exercise.evidence import MAX_CASE_BYTES, Piece, envelope, read_evidence, write_piece
from common.exercise.graphs import GraphFacts, graph_facts, run_facts
from common.exercise.judging import judge_exercise, suspicious_pieces
from common.exercise.probing import run_probe
from common.models import example_inputs

EXERCISE = find_exercise("m02_2.insert_after")
HIDDEN = [{"model": "twice_used", "node": "relu", "name": "watcher", "seed": 5}]
CASES = [*EXERCISE.public_cases, *(Case(**c) for c in HIDDEN)]


def _answer(file: str) -> Callable[..., object]:
    names: dict[str, Callable[..., object]] = {}
    exec((BANK / "m02_2" / "insert_after" / file).read_text(encoding="utf-8"), names)
    return names["insert_after"]


@pytest.fixture(scope="module")
def right_pieces() -> dict[str, Piece]:
    return {c.digest: run_probe(EXERCISE, _answer("accept_splice.py"), c) for c in CASES}


@pytest.fixture
def folder(tmp_path: Path, right_pieces: dict[str, Piece]) -> Path:
    for digest, piece in right_pieces.items():
        write_piece(tmp_path, EXERCISE.id, digest, piece)
    return tmp_path


def _file(folder: Path, case: Case) -> Path:
    (path,) = folder.glob(f"*{case.digest[:12]}*.json")
    return path


def _judge(folder: Path) -> dict:
    return judge_exercise(EXERCISE, HIDDEN, read_evidence(folder))


def test_whole_evidence_scores_full(folder: Path) -> None:
    verdict = _judge(folder)
    assert (verdict["score"], verdict["max_score"], verdict["status"]) == (4, 4, "scored")
    assert verdict["findings"] == verdict["notes"] == []
    assert suspicious_pieces({EXERCISE.id: HIDDEN}, read_evidence(folder)) == []


def test_a_missing_case_scores_nothing(folder: Path) -> None:
    _file(folder, CASES[-1]).unlink()
    verdict = _judge(folder)
    assert (verdict["score"], verdict["status"]) == (0, "missing")


def test_no_evidence_at_all(tmp_path: Path) -> None:
    assert (_judge(tmp_path)["score"], _judge(tmp_path)["status"]) == (0, "missing")


def test_two_pieces_for_one_case_score_nothing_and_are_suspicious(folder: Path, right_pieces: dict[str, Piece]) -> None:
    write_piece(folder, EXERCISE.id, CASES[0].digest, right_pieces[CASES[0].digest])
    verdict = _judge(folder)
    assert verdict["score"] == 0
    assert [n["kind"] for n in verdict["notes"]] == ["suspicion"]


def test_evidence_of_another_case_is_no_evidence(folder: Path, right_pieces: dict[str, Piece]) -> None:
    """A replay: the right evidence of a public case, under the name of the hidden one."""
    _file(folder, CASES[-1]).unlink()
    replayed = json.loads(right_pieces[CASES[0].digest].text) | {"case": CASES[-1].digest}
    piece = Piece(json.dumps(replayed), right_pieces[CASES[0].digest].tensors)
    write_piece(folder, EXERCISE.id, CASES[-1].digest, piece)
    assert _judge(folder)["score"] == 0


def test_evidence_for_no_case_is_noted(folder: Path) -> None:
    text = envelope(EXERCISE.id, "0" * 64, "done")
    write_piece(folder, EXERCISE.id, "0" * 64, Piece(text))
    assert _judge(folder)["score"] == 4
    (note,) = suspicious_pieces({EXERCISE.id: HIDDEN}, read_evidence(folder))
    assert note["kind"] == "suspicion"


def _facts(**facts: object) -> str:
    return envelope(EXERCISE.id, CASES[0].digest, "done", facts=facts)


def _deep() -> str:
    return '{"schema": ' + "[" * 100_000 + "]" * 100_000 + "}"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "null",
        json.dumps({"schema": "pt2e-kit.evidence/2"}),
        _facts(after={"nodes": "none", "modules": {}}),
        _facts(unknown=1),
        _facts(after={"nodes": [{"name": "x", "op": "exec", "target": "", "args": [], "kwargs": {}}], "modules": {}}),
        _facts(after={"nodes": [], "modules": {}}).replace('"done"', '"perfect"'),
        _facts(output={"tensor": "nothing there"}),
        _facts(returned=1).replace("1", "NaN"),
        _facts(returned="x" * MAX_CASE_BYTES),
        _deep(),
    ],
    ids=lambda t: t[:20],
)
def test_malformed_evidence_costs_its_case_only(folder: Path, text: str) -> None:
    _file(folder, CASES[0]).write_text(text, encoding="utf-8")
    verdict = _judge(folder)
    assert verdict["score"] == 0
    assert verdict["status"] in ("missing", "scored")
    assert verdict["notes"] or suspicious_pieces({EXERCISE.id: HIDDEN}, read_evidence(folder)) or verdict["findings"]


def test_damaged_tensors(folder: Path) -> None:
    _file(folder, CASES[0]).with_suffix(".safetensors").write_bytes(b"\xff" * 100)
    assert _judge(folder)["score"] == 0


def test_links_pipes_and_foreign_files_are_not_read(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    outside = tmp_path_factory.mktemp("outside") / "secret.json"
    path = _file(folder, CASES[0])
    path.rename(outside)
    path.symlink_to(outside)
    os.mkfifo(folder / "pipe.json")
    (folder / "script.py").write_text("raise SystemExit")
    (folder / "folder.json").mkdir()
    store = read_evidence(folder)
    assert len(store.notes) == 4
    assert judge_exercise(EXERCISE, HIDDEN, store)["score"] == 0


def test_a_flood_of_files_ends(tmp_path: Path) -> None:
    for i in range(1500):
        (tmp_path / f"{i}.json").write_text("{}")
    assert "more than" in read_evidence(tmp_path).notes[-1]["message"]


def test_graph_that_claims_an_unknown_operator(folder: Path) -> None:
    """The judge rebuilds a graph from known operators only."""
    path = _file(folder, CASES[0])
    content = json.loads(path.read_text())
    relu = next(n for n in content["facts"]["after"]["nodes"] if n["name"] == "conv2d")
    relu["target"] = "torch.hub.load"
    path.write_text(json.dumps(content))
    verdict = _judge(folder)
    assert verdict["score"] == 0
    assert verdict["notes"][0]["kind"] == "suspicion"


def test_an_argument_called_other_is_no_constant() -> None:
    """Constants are recorded as {"other": name}, and an op may have an argument of that name."""
    gm = exported("twice_used", 0)
    add = next(n for n in gm.graph.nodes if n.name == "add")
    add.args, add.kwargs = add.args[:1], {"other": -1.5}
    gm.recompile()
    assert torch.equal(run_facts(GraphFacts(graph_facts(gm)), gm, {}, example_inputs()), gm(*example_inputs()))


def test_hidden_cases_are_named_by_number_only(tmp_path: Path) -> None:
    def insert_after(gm: object, node: object, module: object, name: str) -> None:
        raise ValueError(f"{node} {name}")

    for case in CASES:
        write_piece(tmp_path, EXERCISE.id, case.digest, run_probe(EXERCISE, insert_after, case))
    told = json.dumps(_judge(tmp_path))
    assert "hidden case 1" in told
    assert "watcher" not in told
    assert "relu spy" in told  # the public case is told in full
