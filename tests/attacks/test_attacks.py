"""Every hostile submission comes out right: its scores, what is told of it, and what it must not leave or show."""

import faulthandler
import importlib
import json
import os
import re
import socket
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from attack_kit import LESSONS, PLAIN_FULL, Attack, Place
from grading_kit import ROOT, grade, notes, put, scores, tiny
from pages import active, feedback_page, instructor_page

from pt2e_kit.grading import sandbox
from pt2e_kit.grading.pipeline import Graded

pytestmark = pytest.mark.slow
GROUPS = (
    "on_tests",
    "on_names",
    "on_scores",
    "on_notebooks",
    "on_readers",
    "on_machines",
    "on_secrets",
    "on_exercises",
)
ATTACKS: list[Attack] = [a for group in GROUPS for a in importlib.import_module(group).ATTACKS]
needs_sandbox = pytest.mark.skipif(sandbox.bubblewrap() is None, reason="bubblewrap is not installed or does not work")


def test_ids_are_unique_and_there_are_enough():
    ids = [attack.id for attack in ATTACKS]
    assert len(set(ids)) == len(ids) >= 50
    assert all(re.fullmatch(r"[a-z0-9_]+", i) for i in ids)


def test_the_document_names_every_attack():
    text = (ROOT / "docs" / "attacks.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)
    assert sorted(named) == sorted(a.id for a in ATTACKS), "make it anew: python tools/stock_attacks.py"


@pytest.fixture(autouse=True)
def no_hanging_grader() -> Iterator[None]:
    """A grader that hangs ends the whole run, and tells where it hung: no other test may wait for it."""
    faulthandler.dump_traceback_later(180, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()


def marked(attack: Attack) -> Any:
    marks = [pytest.mark.xfail(strict=True, reason=attack.xfail)] if attack.xfail else []
    marks += [pytest.mark.xfail(run=False, reason=attack.hangs)] if attack.hangs else []
    marks += [needs_sandbox] if attack.unsafe else []
    return pytest.param(attack, id=attack.id, marks=marks)


@pytest.mark.parametrize("attack", map(marked, ATTACKS))
def test_attack(attack: Attack, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("ATTACK_TOKEN", "ENVIRONMENT-OF-THE-GRADER")
    with listener() as (port, path, arrived):
        place = Place.new(tmp_path, port=port, socket=path, grader=os.getpid())
        source = place.write_source(attack.where)
        handed_in = place.hand_in(attack)
        before = seen_of(place)

        graded = grade(source, handed_in, limits=attack.graded_with, keep=tmp_path / "kept")

        look_at_result(attack, graded)
        look_at_pages(attack, graded)
        assert not arrived, "it reached a listener on this machine"
        assert seen_of(place) == before, "it changed files of the course, or of others"
        look_at_evidence(tmp_path / "kept")
    assert not left_behind(place.mark, but=tmp_path)
    if attack.lasting:
        look_at_the_next(place)


def look_at_result(attack: Attack, graded: Graded) -> None:
    result = graded.result
    assert result["state"] == attack.state, notes(graded)
    if attack.state == "graded":
        got, right = tuple(scores(graded)), attack.scores
        if attack.where in LESSONS:  # the other lessons of the folder are handed in with their stubs
            right += (0,) * (len(got) - len(right))
        told = notes(graded, "suspicion")
        too_much = [i for i, (s, r) in enumerate(zip(got, right, strict=True)) if (s or 0) > (r or 0)]
        right_way = {"exact": got == right, "noted": bool(too_much and told), "less": not too_much}[attack.earns]
        assert got == right or right_way, (got, told)
    if attack.told is not None:
        kind, *patterns = attack.told
        text = notes(graded) if kind == "any" else notes(graded, kind)
        assert all(re.search(pattern, text) for pattern in patterns), notes(graded)
    for text in texts_of(result):
        assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", text), repr(text)
        assert not text.startswith(("=", "+", "-", "@", "\t")), f"a spreadsheet takes it for a formula: {text[:60]!r}"


def texts_of(value: Any) -> Iterator[str]:
    """All texts of a result."""
    if isinstance(value, str):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from texts_of(inner)


def look_at_pages(attack: Attack, graded: Graded) -> None:
    """Outputs are text and pictures; nothing of a submission acts in a browser; what is secret is in neither."""
    for notebook in graded.notebooks.values():
        feedback, alike = feedback_page(notebook), "kit" if attack.where in LESSONS else attack.where
        assert active(feedback) <= honest_active(alike)[0]
        assert active(instructor_page(notebook)) <= honest_active(alike)[1]
        shown = "\n".join([*map(str, graded.result["notes"]), *map(str, outputs_of(notebook))])
        assert not [word for word in attack.unseen if word in shown]
        for word in ("OTHER-STUDENTS-ANSWER", "CLASS-SEED-SECRET", "ENVIRONMENT-OF-THE-GRADER"):
            assert word not in shown and word not in feedback, word
        for word in ("SECRET-H1", *attack.unseen_in_feedback):
            assert word not in feedback, word
        assert all(len(str(c.outputs)) < 4 * attack.graded_with.output_bytes for c in notebook.cells if "outputs" in c)


def outputs_of(notebook: Any) -> Iterator[Any]:
    for cell in notebook.cells:
        yield from cell.get("outputs", [])


@cache
def honest_active(where: str) -> tuple[set[str], set[str]]:
    """What the pages of an honest submission hold of scripts, styles and links."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        place = Place.new(Path(folder))
        honest = Attack("honest", "", where=where)  # type: ignore[arg-type]
        graded = grade(place.write_source(honest.where), place.hand_in(honest), limits=honest.graded_with)
        (notebook,) = graded.notebooks.values()
        return active(feedback_page(notebook)), active(instructor_page(notebook))


# ---------------------------------------------------------------- what is there besides


@contextmanager
def listener() -> Iterator[tuple[int, str, list[bytes]]]:
    """A TCP port and an abstract unix socket that nothing may connect to."""
    arrived: list[bytes] = []
    stop = threading.Event()
    name = f"pt2e-attack-{uuid.uuid4().hex}"
    servers = [socket.create_server(("127.0.0.1", 0))]
    if hasattr(socket, "AF_UNIX") and os.name == "posix" and Path("/proc").exists():
        servers.append(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
        servers[1].bind("\0" + name)
        servers[1].listen()

    def listen(server: socket.socket) -> None:
        while not stop.is_set():
            try:
                with server.accept()[0] as connection:
                    arrived.append(b"connected")
                    connection.settimeout(0.2)
                    arrived.append(connection.recv(100))
            except OSError:
                continue

    threads = [threading.Thread(target=listen, args=(s,)) for s in servers]
    for server, thread in zip(servers, threads, strict=True):
        server.settimeout(0.1)
        thread.start()
    try:
        yield servers[0].getsockname()[1], name, arrived
    finally:
        stop.set()
        for server, thread in zip(servers, threads, strict=True):
            thread.join()
            server.close()


def seen_of(place: Place) -> dict[str, Any]:
    """Everything that a submission could have changed in the course."""
    files = [p for folder in ("source", "submitted") for p in sorted((place.root / folder).rglob("*"))]
    found = {str(p): p.read_bytes() if p.is_file() and not p.is_symlink() else p.is_symlink() for p in files}
    return found | {str(place.secret): place.secret.read_bytes()}


def look_at_evidence(folder: Path) -> None:
    """What is kept are plain files, and nothing of ours is among them."""
    for path in folder.rglob("*"):
        assert path.is_dir() or (path.is_file() and not path.is_symlink())
        assert path.is_dir() or b"CLASS-SEED-SECRET" not in path.read_bytes()


def left_behind(mark: str, but: Path) -> list[str]:
    """Processes and files of this machine that carry the mark of an attack; `but` is what the test itself made."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            about = (process / "cmdline").read_bytes() + (process / "environ").read_bytes()
        except OSError:
            continue
        if mark.encode() in about and process.name != str(os.getpid()):
            found.append(f"process {process.name}")
    for folder in ("/tmp", "/var/tmp", "/dev/shm", str(Path.home())):
        for path in Path(folder).glob(f"*{mark}*"):
            found += [str(path)] if not path.is_relative_to(but) else []
    return found


def look_at_the_next(place: Place) -> None:
    """An honest submission that is graded afterwards, in the same process, has all points and no notes."""
    folder = put(place.root / "submitted" / "next" / "a1", tiny())
    source = place.root / "plain-source"
    put(source, (place.write_source("plain") / "p1.ipynb").read_bytes())
    (source / "common.py").write_text((place.source / "common.py").read_text())
    graded = grade(source, folder)
    assert tuple(scores(graded)) == PLAIN_FULL and not graded.result["notes"]
    assert place.mark not in json.dumps(graded.result) + json.dumps(graded.notebooks)
