#!/usr/bin/env python
"""Try the hostile submissions of tests/attacks on stock nbgrader, and write the comparison to docs/attacks.md.

usage: python tools/stock_attacks.py [NAME ...]     (with names: print their rows, and write nothing)

Each submission is graded by `nbgrader autograde` with its default configuration, in a course folder and a home folder
of its own, and then by this kit. Stock nbgrader has no sandbox: what would harm the machine is not run.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "tests" / "attacks")]

import on_readers  # noqa: E402
import on_secrets  # noqa: E402
import test_attacks  # noqa: E402
from attack_kit import Attack, Place, shown_notebook  # noqa: E402
from grading_kit import grade, make_cases, notes, put, scores  # noqa: E402
from pages import active  # noqa: E402

SECONDS = 90
"""For one submission; then stock nbgrader is stopped, and that is what it gave."""
DOCUMENT = ROOT / "docs" / "attacks.md"
SECRETS = ("OTHER-STUDENTS-ANSWER", "CLASS-SEED-SECRET", "ENVIRONMENT-OF-THE-GRADER")
STOCK_PLACES = ("plain", "shown")
PAGES = {"honest", *(a.id for a in (*on_readers.ATTACKS, *on_secrets.ATTACKS)), "outputs_forged"}
"""Attacks on readers: stock nbgrader makes their feedback pages too."""


HEAD = """# Attacks, on stock nbgrader and on this kit

Made by `tools/stock_attacks.py` from the hostile submissions in `tests/attacks/`; do not edit it by hand. Stock
nbgrader {version} ran with its default configuration, {seconds} s at most for a submission. Scores stand in the order
of the tests; *right* means that the submission got what its answers are worth. A *noted* score has a suspicion in
`results.json` that tells an instructor of the trick.

## A plain course: asserts and shown scores

| attack | it tries to | stock nbgrader | this kit |
|---|---|---|---|
"""

KIT_HEAD = """
## The kit's own exercises

Stock nbgrader gives no points for them (their tests end with `NotJudged`), so only this kit was tried, by
`pytest tests/attacks`.

| attack | it tries to | right outcome | this kit |
|---|---|---|---|
"""


@dataclass(frozen=True)
class Stock:
    """What stock nbgrader gave."""

    scores: tuple[float | None, ...]
    page: str = ""
    outputs: str = ""
    error: str = ""
    hung: bool = False
    reached: bool = False
    changed: bool = False


def command(course: Path, mark: str, *arguments: str) -> subprocess.CompletedProcess[str] | None:
    """Run an nbgrader command; None where it did not end in time. Nothing that it started outlives it."""
    home = course / "home"
    home.mkdir(exist_ok=True)
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("JUPYTER", "IPYTHON", "PYTHON"))}
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    environment |= {"HOME": str(home), "PATH": path, "ATTACK_TOKEN": SECRETS[2], "STOCK_ATTACK": mark}
    process = subprocess.Popen(
        [sys.executable, "-m", "nbgrader", *arguments],
        cwd=course,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    try:
        told, _nothing = process.communicate(timeout=SECONDS)
        return subprocess.CompletedProcess([], process.returncode, told)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_marked(f"STOCK_ATTACK={mark}")
        process.kill()
        process.wait()


def end_marked(word: str) -> None:
    """End the processes that carry this word in their environment: those that the command has started."""
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if word.encode() in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)


@cache
def template(where: str) -> Path:
    """A course with the released assignment and its gradebook."""
    course = Path(tempfile.mkdtemp(prefix="stock-"))
    put(course / "source" / "a1", make_cases.source() if where == "plain" else shown_notebook())
    (course / "source" / "a1" / "common.py").write_text(make_cases.COMMON)
    done = command(course, "template", "generate_assignment", "a1")
    if done is None or done.returncode:
        raise SystemExit(f"nbgrader generate_assignment failed:\n{done and done.stdout}")
    return course


def course_for(attack: Attack, folder: Path, port: int, socket: str) -> Place:
    """A copy of the course with the attack handed in."""
    shutil.copytree(template(attack.where), folder, dirs_exist_ok=True)
    place = Place.new(folder, port=port, socket=socket, grader=os.getpid())
    place.hand_in(attack)
    return place


def stock(attack: Attack) -> Stock:
    """Grade the attack with stock nbgrader."""
    with tempfile.TemporaryDirectory(prefix="stock-") as name, test_attacks.listener() as (port, path, arrived):
        course = Path(name)
        place = course_for(attack, course, port, path)
        before = test_attacks.seen_of(place)
        done = command(course, place.mark, "autograde", "a1", "--student", "evil")
        given = gradebook(course, attack)
        changed = test_attacks.seen_of(place) != before
        if done is None:
            return Stock(given, hung=True, reached=bool(arrived), changed=changed)
        error = (
            next((line for line in reversed(done.stdout.splitlines()) if "Error" in line), "")
            if done.returncode
            else ""
        )
        outputs = "".join(str(c.get("outputs")) for c in autograded(course))
        told = (
            command(course, place.mark, "generate_feedback", "a1", "--student", "evil")
            if attack.id in PAGES and not error
            else None
        )
        pages = list((course / "feedback").rglob("*.html")) if told is not None else []
        page = pages[0].read_text(encoding="utf-8", errors="replace") if pages else ""
        return Stock(given, page, outputs, error, reached=bool(arrived), changed=changed)


def gradebook(course: Path, attack: Attack) -> tuple[float | None, ...]:
    """The automatic scores in the gradebook, in the order of `attack.scores`; empty where there are none."""
    from nbgrader.api import Gradebook, MissingEntry

    names = ("q1t", "q2t", "q3t", "m4") if attack.where == "plain" else tuple(f"p{n}t" for n in range(1, 7))
    with Gradebook(f"sqlite:///{course}/gradebook.db") as database:
        try:
            found = database.find_submission_notebook("p1", "a1", "evil")
        except MissingEntry:
            return ()
        by_name = {g.name: g.auto_score for g in found.grades}
    if all(value is None for value in by_name.values()):
        return ()
    return tuple(by_name.get(name) for name in names)


def autograded(course: Path) -> list[nbformat.NotebookNode]:
    """The cells of the graded notebook, where there is one."""
    path = course / "autograded" / "evil" / "a1" / "p1.ipynb"
    with contextlib.suppress(Exception):
        return list(nbformat.read(path, 4).cells)
    return []


@cache
def honest_page(where: str) -> frozenset[str]:
    """What is active on stock nbgrader's page for an honest submission."""
    return frozenset(active(stock(Attack("honest", "", where=where)).page))  # type: ignore[arg-type]


def points(given: tuple[float | None, ...]) -> str:
    """Scores as a text."""
    return " ".join("–" if s is None else f"{s:g}" for s in given)


def verdict(attack: Attack, given: tuple[float | None, ...]) -> str:
    """Right, too much or too little, in words."""
    full = (2, 3, 4, None) if attack.where == "plain" else (4,) * 6
    pairs = [(g or 0, r or 0) for g, r in zip(given, attack.scores, strict=True)]
    if all(g == r for g, r in pairs):
        return f"right: {points(given)}"
    more, less = any(g > r for g, r in pairs), any(g < r for g, r in pairs)
    if more and all(g == (f or 0) for (g, _r), f in zip(pairs, full, strict=True)):
        return f"**full marks**: {points(given)}"
    return f"**{'too much' if more else 'loses points' if less else ''}**: {points(given)} instead of {points(attack.scores)}"


def stock_cell(attack: Attack) -> str:
    """The table's cell about stock nbgrader."""
    if attack.unsafe:
        return f"not run: unsafe without a sandbox ({attack.unsafe})"
    got = stock(attack)
    parts = []
    if got.hung:
        parts.append(f"**hung** (stopped after {SECONDS} s)")
    elif attack.state != "graded":
        parts.append(f"graded: {points(got.scores)}" if got.scores else "no score")
    elif not got.scores:
        parts.append("**lost**: the submission has no score")
    if got.error and got.scores:
        parts.append("**aborted** in the middle")
    if got.scores and attack.state == "graded":
        parts.append(verdict(attack, got.scores))
    shown = got.outputs + got.page
    secrets = [w for w in SECRETS if w in shown]
    secrets += [w for w in attack.unseen if w in got.outputs] + [w for w in attack.unseen_in_feedback if w in got.page]
    if secrets:
        parts.append("**shown**: " + ", ".join(f"`{s.replace('|', ' ')[:40]}`" for s in secrets))
    if got.page and active(got.page) - honest_page(attack.where):
        parts.append("**acts in the reader's browser**")
    if got.reached:
        parts.append("**reached a port of the machine**")
    if got.changed:
        parts.append("**changed files of the course**")
    return "; ".join(parts)


def ours_cell(attack: Attack) -> str:
    """The table's cell about this kit, by running it."""
    with tempfile.TemporaryDirectory(prefix="attack-") as name, test_attacks.listener() as (port, path, arrived):
        place = Place.new(Path(name), port=port, socket=path, grader=os.getpid())
        if attack.hangs:
            return "**hangs today**"
        source = place.write_source(attack.where)
        graded = grade(source, place.hand_in(attack), limits=attack.graded_with)
    if attack.state != "graded" or graded.result["state"] != "graded":
        text = graded.result["state"]
    else:
        text = verdict(attack, tuple(scores(graded)))
        if "right" not in text and attack.earns == "less":
            text = f"graded: {points(tuple(scores(graded)))}"  # what it broke is its own
    told = [kind for kind in ("suspicion", "limit") if notes(graded, kind)]
    text += f", noted ({', '.join(told)})" if told else ""
    if attack.xfail:
        text += "; **not defended yet**"
    return text + ("; **reached a port**" if arrived else "")


def row(attack: Attack) -> str:
    """One row of the first table."""
    return f"| `{attack.id}` | {attack.tries} | {stock_cell(attack)} | {ours_cell(attack)} |"


def kit_row(attack: Attack) -> str:
    """One row of the second table, by what the tests say."""
    told = f", with a note of kind {attack.told[0]}" if attack.told else ""
    today = f"not yet: {attack.xfail}" if attack.xfail else "so it is"
    forgiven = {"exact": "", "noted": ", or more with a suspicion", "less": ", or less"}[attack.earns]
    return f"| `{attack.id}` | {attack.tries} | {points(attack.scores)}{forgiven}{told} | {today} |"


def write(rows: list[str]) -> None:
    """Write the document: these rows, and those of the kit's own exercises."""
    import nbgrader

    others = [kit_row(a) for a in test_attacks.ATTACKS if a.where not in STOCK_PLACES]
    head = HEAD.format(version=nbgrader.__version__, seconds=SECONDS)
    DOCUMENT.write_text(head + "\n".join(rows) + "\n" + KIT_HEAD + "\n".join(others) + "\n", encoding="utf-8")


def main(names: list[str]) -> None:
    """Write the document, or print the rows of some attacks."""
    os.environ["ATTACK_TOKEN"] = SECRETS[2]
    chosen = [a for a in test_attacks.ATTACKS if a.where in STOCK_PLACES and (not names or a.id in names)]
    for where in STOCK_PLACES:
        template(where)
        honest_page(where)
    with ThreadPoolExecutor(3) as threads:
        rows = []
        for text in threads.map(row, chosen):
            print(text, flush=True)
            rows.append(text)
    for where in STOCK_PLACES:
        shutil.rmtree(template(where))
    if not names:
        write(rows)


if __name__ == "__main__":
    main(sys.argv[1:])
