"""Helpers of the course: they run in the student's notebook and in the grader's kernel.

`import common` is instant: nothing here loads torch. A lesson starts with::

    from common import lesson, hint
    lesson("m02_2")

and its exercises are checked with ``from common import check; check("m02_2.insert_after")``;
``progress()`` shows what is solved so far.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from common.exercise.capture import evidence
    from common.exercise.notebook import check, hint, progress
    from common.lessons import lesson

__all__ = ["check", "evidence", "hint", "lesson", "progress"]


def __getattr__(name: str) -> object:
    # Loaded at first use, so that `import common` stays free of torch and IPython.
    if name == "lesson":
        from common.lessons import lesson

        return lesson
    if name in ("check", "hint", "progress"):
        from common.exercise import notebook

        return getattr(notebook, name)
    if name == "evidence":
        from common.exercise.capture import evidence

        return evidence
    raise AttributeError(f"module 'common' has no attribute {name!r}")
