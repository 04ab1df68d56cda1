"""The demo: the kit's main job on a class that the repository ships, in a folder of its own."""

import shlex
import shutil
import time
from collections import Counter
from pathlib import Path
from typing import Any

from common.exercise import find_exercise
from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.cli.grading import number, remarks
from pt2e_kit.course import CONFIG, Course
from pt2e_kit.grading.sandbox import bubblewrap

ROOT = Path(__file__).resolve().parent.parent
CLASS = ROOT / "demo" / "submitted"
ASSIGNMENT = "m02_by_hand"
NOTEBOOK = "m02_2_observers_by_hand.ipynb"
"""The one notebook of the module that the class has handed in: with the others the demo would take three times as long."""
MARK = ".made-by-pt2e-kit-demo"


def run_demo(folder: Path, jobs: int = 2) -> int:
    """Make the student version, grade the demo class, show what came out; return the exit code.

    Raises:
        FileExistsError: `folder` is there and was not made by the demo.
        FileNotFoundError: this is no checkout of the kit, so there is no class to grade.
    """
    from pt2e_kit.authoring.release import release
    from pt2e_kit.record import grade_assignment, write_feedback
    from pt2e_kit.reports.overview import overview
    from pt2e_kit.reports.page import write_page

    began = time.monotonic()
    course = make_course(folder)
    console.say(_("1. Student version, from source/{name}").format(name=ASSIGNMENT))
    for path in release(course.root, ASSIGNMENT):
        console.say(f"   {path}")
    total = len(course.submissions(ASSIGNMENT))
    console.say(_("2. Grading {n} submissions, {jobs} side by side").format(n=total, jobs=jobs))
    done = 0

    def tell(result: dict[str, Any]) -> None:
        nonlocal done
        done += 1
        score = f"{number(result['score'])}/{number(result['max_score'])}"
        console.say(
            f"   {done:2}/{total} {result['student']} {result['state']:10} {score:>6}  {result['seconds']:.0f} s"
        )

    alone = bubblewrap() is None
    if alone:
        console.say(_("   (there is no sandbox here; this class is our own, so it is graded without)"))
    outcome = grade_assignment(course, ASSIGNMENT, jobs=jobs, progress=tell, unsafe_no_sandbox=alone)
    console.say(_("3. Scores (practice and predictions count for nothing in the sum)"))
    results = list(outcome.results.values())
    console.stdout().print(score_table(results))
    console.say(_("4. Commonest misconceptions"))
    console.stdout().print(misconception_table(results))
    pages = write_feedback(course, ASSIGNMENT)
    console.say(_("5. Feedback pages ({n}), gradebook and results are in {folder}").format(n=len(pages), folder=folder))
    console.say("")
    console.say(_("Took {n:.0f} s. What to open next:").format(n=time.monotonic() - began))
    if pages:
        page = next((p for p in pages if p.parent.parent.name == "s04"), pages[0])
        console.say(_("   a student's feedback:  {path}").format(path=folder / page.relative_to(course.root)))
    result = folder / "results" / ASSIGNMENT / "s10" / "results.json"
    write_page(overview(course, ASSIGNMENT), folder / "report.html")
    console.say(_("   the class on a page:   {path}").format(path=folder / "report.html"))
    console.say(_("   a dishonest one:       {path}").format(path=result))
    console.say(_("   the same in nbgrader:  cd {folder} && nbgrader export").format(folder=shlex.quote(str(folder))))
    console.say(_("   the lesson itself:     make lab, then release/{name}").format(name=ASSIGNMENT))
    return 0


def make_course(folder: Path) -> Course:
    """Copy one notebook, configuration and the class's submissions into a fresh folder: its assignment is that notebook."""
    if not CLASS.is_dir():
        raise FileNotFoundError(_("the demo needs a checkout of the kit: there is no {path}").format(path=CLASS))
    if folder.exists():
        if not (folder / MARK).is_file() and any(folder.iterdir()):
            text = _("{folder} holds something that the demo did not make; choose another with --folder")
            raise FileExistsError(text.format(folder=folder))
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    (folder / MARK).touch()
    source = folder / "source" / ASSIGNMENT
    source.mkdir(parents=True)
    shutil.copyfile(ROOT / "source" / ASSIGNMENT / NOTEBOOK, source / NOTEBOOK)
    shutil.copytree(CLASS, folder / "submitted")
    shutil.copyfile(ROOT / CONFIG, folder / CONFIG)
    return Course(folder.resolve())


def score_table(results: list[dict[str, Any]]) -> Any:
    """A table student × exercise, with the states of those that have no score."""
    ids = list(dict.fromkeys(e["id"] for r in results for n in r["notebooks"] for e in n["exercises"]))
    heads = [i.rpartition(".")[2].removeprefix("m02_2-").removesuffix("-answer") for i in ids]
    rows = []
    for result in results:
        entries = {e["id"]: e for n in result["notebooks"] for e in n["exercises"]}
        cells = [_cell(entries.get(i)) for i in ids]
        score = f"{number(result['score'])}/{number(result['max_score'])}"
        rows.append([result["student"], result["state"], *cells, score, remarks(result)])
    columns = [_("student"), _("state"), *((h, "right") for h in heads), (_("score"), "right"), _("cause or remarks")]
    return console.table(columns, rows)


def _cell(entry: dict[str, Any] | None) -> str:
    if entry is None:
        return "–"
    if entry["score"] is None:
        return _("by hand")
    if entry["kind"] == "prediction":
        return "✗" if entry["findings"] else "✓"
    text = f"{number(entry['score'])}/{number(entry['max_score'])}"
    return text if entry["status"] in ("scored", "missing") else f"{text} {entry['status']}"


def _is_misconception(name: str | None) -> bool:
    """A wrong idea that the exercise knows, not just an answer that is missing or raises."""
    exercise_id, _slash, short = (name or "").partition("/")
    return bool(short) and short in find_exercise(exercise_id).misconceptions


def misconception_table(results: list[dict[str, Any]], most: int = 8) -> Any:
    """The misconceptions that most students have, with the words that they see."""
    counts: Counter[str] = Counter()
    words: dict[str, str] = {}
    for result in results:
        findings = [f for n in result["notebooks"] for e in n["exercises"] for f in e["findings"]]
        told = {f["misconception"]: f["symptom"] for f in findings if _is_misconception(f["misconception"])}
        counts.update(told.keys())
        words |= told
    rows = [[n, name, words[name]] for name, n in sorted(counts.items(), key=lambda c: (-c[1], c[0]))[:most]]
    return console.table([(_("students"), "right"), _("misconception"), _("what they are told")], rows)
