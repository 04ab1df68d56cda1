"""The mechanism of an exercise: a probe records evidence, a judge decides.

- `base`: Exercise, Case, Finding: what an author writes
- `registry`: find an exercise by its id
- `evidence`: what a probe records, and how it is written and read; `graphs`: fx graphs as plain facts
- `probing`: run a probe on a case from a fixed state; `capture`: the same for hidden cases, when grading
- `judging`: evidence → verdict; `shortcuts`: calls that do the job themselves
- `notebook`: `check`, `hint` and `progress` for the student; `render`: a verdict as HTML and text
- `progress`: what was solved, on this machine; `order`: which exercise comes next; `overview`: both for people

Nothing here loads torch when it is imported.
"""

from common.exercise.base import Case, Exercise, Finding, NotJudged
from common.exercise.registry import UnknownExercise, all_exercises, find_exercise

__all__ = ["Case", "Exercise", "Finding", "NotJudged", "UnknownExercise", "all_exercises", "find_exercise"]
