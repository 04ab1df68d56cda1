"""What people do in JupyterLab with this kit, step by step: the tests look at it, the screenshots show it."""

import re
import shutil
from pathlib import Path
from typing import Any

from lab import CELL_MS, Lab

LESSON = "m02_2_observers_by_hand.ipynb"
ANSWER, CHECK = "m02_2-insert_after-answer", "m02_2-insert_after"
FIRST_CELLS = ("setup", "imports", "prepare", "splice-demo")

HEAD = """def insert_after(gm, node, module, name):
    gm.add_submodule(name, module)
    with gm.graph.inserting_after(node):
        new = gm.graph.call_module(name, (node,))
"""
WRONG = HEAD + "    node.replace_all_uses_with(new)\n    return new"
"""The new node reads itself: replace_all_uses_with changes the new node's input too."""
RIGHT = HEAD + "    node.replace_all_uses_with(new, delete_user_cb=lambda user: user is not new)\n    return new"


def students_folder(checkout: Path, folder: Path) -> Path:
    """What a student has: the lesson as it is released."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(checkout / "release" / "m02_by_hand" / LESSON, folder / LESSON)
    return folder


def begin_lesson(window: Lab) -> str:
    """Open the lesson and run its first cells; return the line on this machine."""
    window.open(LESSON)
    window.run(*FIRST_CELLS)
    return window.shown("setup")


def answer(window: Lab, source: str) -> str:
    """Write an answer, run it and its check; return what the check says."""
    window.write(ANSWER, source)
    return window.run(ANSWER, CHECK)


def unfold(window: Lab, cell: str, title: str) -> Any:
    """Click on a folded part of a cell's output; return the part."""
    part = window.output(cell).locator("details", has=window.page.locator(f"summary:has-text('{title}')")).first
    part.locator("summary").first.click()
    return part


def class_of(folder: Path, students: tuple[str, ...]) -> Path:
    """The demo's course with some of its students; nothing is graded yet."""
    from pt2e_kit.demo import make_course

    root = make_course(folder).root
    for path in (root / "submitted").iterdir():
        if path.name not in students:
            shutil.rmtree(path)
    return root


def autograde(grader: Any, student: str) -> str:
    """In formgrader: go to the submissions of the first assignment and press the flash of a student; return what it says."""
    grader.locator("td.num-submissions a").first.click()
    grader.locator("tr", has_text=student).locator(".autograde a").click()
    said = grader.locator(".modal:visible .modal-title, .modal:visible .modal-body").first
    said.wait_for(timeout=CELL_MS)
    text = grader.locator(".modal:visible").inner_text()
    grader.locator(".modal:visible .modal-footer button, .modal:visible .close").last.click()
    grader.locator(".modal:visible").wait_for(state="detached")
    return text


def open_submission(grader: Any, assignment: str) -> Any:
    """In formgrader: open the first graded submission in the list of an assignment."""
    grader.get_by_role("link", name="Manual Grading").first.click()
    for name in (assignment, Path(LESSON).stem):
        grader.locator("table").get_by_role("link", name=name, exact=True).first.click()
    grader.locator("table").get_by_role("link", name=re.compile("^Submission #")).first.click()
    grader.locator("input.score").first.wait_for()
    return grader
