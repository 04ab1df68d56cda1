"""The list of lessons, and what the first cell of each does: `lesson("m02_2")`.

Importing this module does not load torch; calling `lesson` does.
"""

from dataclasses import dataclass
from difflib import get_close_matches

from common import env
from common.i18n import _
from common.platform_checks import Part, missing_parts


@dataclass(frozen=True)
class Lesson:
    """One notebook of the course."""

    id: str
    title: str
    module: str
    """The module it belongs to: the folder under source/, which is one nbgrader assignment."""
    needs: tuple[str, ...] = ()
    """Parts of `common.platform_checks.PARTS` without which some of its exercises cannot be done or graded."""


_ALL = (
    Lesson("m00_1", _("What torch.export gives you"), "m00_graph"),
    Lesson("m00_2", _("Reading a graph"), "m00_graph"),
    Lesson("m00_3", _("Running a graph"), "m00_graph"),
    Lesson("m00_4", _("Changing a graph"), "m00_graph"),
    Lesson("m01_0", _("Post-training quantization in four steps: overview"), "m01_ptq"),
    Lesson("m01_1", _("The smallest PTQ"), "m01_ptq"),
    Lesson("m01_2", _("What prepare and convert changed"), "m01_ptq"),
    Lesson("m02_1", _("From a range to integers"), "m02_by_hand"),
    Lesson("m02_2", _("Observers and fake quant put in by hand"), "m02_by_hand"),
    Lesson("m02_3", _("Convert by hand"), "m02_by_hand"),
    Lesson("m03_1", _("Annotation, quantizer, prepare_pt2e"), "m03_quantizer"),
    Lesson("m03_2", _("Reading XNNPACKQuantizer"), "m03_quantizer"),
    Lesson("m03_3", _("A quantizer by rules"), "m03_quantizer"),
    Lesson("m03_4", _("One scale for several places"), "m03_quantizer"),
    Lesson("m04_1", _("Folding batch norm"), "m04_fusion"),
    Lesson("m04_2", _("Fusion patterns"), "m04_fusion"),
    Lesson("m05_1", _("Granularity"), "m05_accuracy"),
    Lesson("m05_2", _("Observers and calibration"), "m05_accuracy"),
    Lesson("m05_3", _("Which layer is to blame?"), "m05_accuracy"),
    Lesson("m06_1", _("Fake quant and the straight-through gradient"), "m06_qat"),
    Lesson("m06_2", _("Schedule and honest comparison"), "m06_qat"),
    Lesson("m07_0", _("What a backend makes of Q/DQ: overview"), "m07_lowering"),
    Lesson("m07_1", _("The profiler"), "m07_lowering"),
    Lesson("m07_2", _("One Q/DQ graph, three treatments"), "m07_lowering"),
    Lesson("m07_3", _("Integers only"), "m07_lowering"),
    Lesson("m08_1", _("From Q/DQ to a .pte that runs"), "m08_xnnpack", needs=("executorch",)),
    Lesson("m09_1", _("From Q/DQ to QDQ ONNX"), "m09_onnx", needs=("onnx", "onnxscript", "onnxruntime")),
    Lesson("m09_2", _("A project of your own"), "m09_onnx", needs=("onnx", "onnxscript", "onnxruntime")),
)

LESSONS: dict[str, Lesson] = {entry.id: entry for entry in _ALL}
"""All lessons by id."""

EVERYWHERE = ("dot",)
"""Parts that every lesson is better with: mentioned when missing, but nothing is skipped."""


def find_lesson(lesson_id: str) -> Lesson:
    """Return the lesson of this id.

    Raises:
        ValueError: there is no such lesson; the message names similar ones.
    """
    if lesson_id in LESSONS:
        return LESSONS[lesson_id]
    near = get_close_matches(str(lesson_id), LESSONS, n=3) or sorted(LESSONS)
    message = _("there is no lesson {id!r}; choose one of: {near}")
    raise ValueError(message.format(id=lesson_id, near=", ".join(near)))


def status_line(entry: Lesson, missing: list[Part]) -> str:
    """Return the line that a lesson begins with: versions, machine, what is missing and how to get it."""
    versions = ", ".join(f"{name} {version}" for name, version in env.versions().items())
    threads = _("{n} thread").format(n=env.THREADS)
    line = f"{entry.id} {entry.title} | {versions} | {env.machine()}, {threads}"
    if not missing:
        return line + " | " + _("all set")
    gaps = "; ".join(
        _("{part} ({purpose}). To get it: {how}. Without: {without}").format(
            part=p.id, purpose=p.purpose, how=p.how, without=p.substitute or _("the lesson cannot run")
        )
        for p in missing
    )
    return line + " | " + _("missing: {gaps}").format(gaps=gaps)


def lesson(lesson_id: str) -> None:
    """Begin a lesson: quiet libraries, one thread, seed 0; print one line on this machine and what it lacks.

    Call it in the first cell, before torch is imported: the libraries are noisy when they are imported.

    Raises:
        ValueError: there is no such lesson.
    """
    entry = find_lesson(lesson_id)
    env.quiet()
    import torch

    from common.exercise.notebook import remember_own_names

    remember_own_names()

    torch.manual_seed(0)
    print(status_line(entry, missing_parts((*entry.needs, *EVERYWHERE))))
