#!/usr/bin/env python
"""Take the screenshots of README and docs anew: `make screenshots` (needs chromium; a few minutes).

A student with a wrong answer (light and dark), formgrader with a graded submission, and the report on a class.
"""

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "tests" / "browser")]

import journeys  # noqa: E402
import lab  # noqa: E402

PICTURES = ROOT / "docs" / "pictures"
WIDTH, HEIGHT = 1400, 1000


def of_the_window(window: lab.Lab, name: str) -> None:
    """Keep what the window shows."""
    path = PICTURES / f"{name}.png"
    window.page.screenshot(path=path)
    _smaller(path)
    print(path.relative_to(ROOT), f"{path.stat().st_size // 1024} KiB", flush=True)


def _smaller(path: Path) -> None:
    """Reduce the number of colours: a window has few, and a repository keeps pictures for ever."""
    from PIL import Image

    Image.open(path).convert("RGB").quantize(128).save(path, optimize=True)


def students(browser: object, folder: Path) -> None:
    """A wrong answer: what is wrong, why, and where in the graph."""
    with lab.server(journeys.students_folder(ROOT, folder)) as address:
        for name, dark in (("student", False), ("student-dark", True)):
            window = lab.Lab(browser, address, height=HEIGHT, dark=dark)
            journeys.begin_lesson(window)
            journeys.answer(window, journeys.WRONG)
            journeys.unfold(window, journeys.CHECK, "Why")
            window.select(journeys.ANSWER)
            of_the_window(window, name)


def instructors(browser: object, folder: Path) -> None:
    """A graded submission in formgrader, and the class on a page."""
    from pt2e_kit.course import Course
    from pt2e_kit.record import grade_assignment
    from pt2e_kit.reports.overview import overview
    from pt2e_kit.reports.page import write_page

    root = journeys.class_of(folder, tuple(f"s{n:02}" for n in range(1, 13)))
    course = Course(root)
    grade_assignment(course, "m02_by_hand")
    with lab.server(root) as address:
        window = lab.Lab(browser, address, height=HEIGHT)
        window.open()
        page = journeys.open_submission(window.open_formgrader(), "m02_by_hand")
        page.locator(f"input#{journeys.CHECK}").scroll_into_view_if_needed()
        of_the_window(window, "formgrader")
        write_page(overview(course, "m02_by_hand"), root / "report.html")
        window.page.goto((root / "report.html").as_uri())
        of_the_window(window, "report")


def main() -> None:
    """Take them all."""
    if reason := lab.why_not():
        sys.exit(f"no screenshots: {reason}")
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, lab.browser() as browser:
        students(browser, Path(folder) / "lessons")
        instructors(browser, Path(folder) / "course")


if __name__ == "__main__":
    main()
