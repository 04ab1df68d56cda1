"""What run_autograder of our zips does in a container, on Gradescope or under `otter grade`: no part of otter runs here.

The container is the boundary around one submission. Inside of it the student's code runs in a sandbox where the
container allows one; else as another user, who cannot read the hidden tests, write the result or stop the grader.
"""

import pickle
import sys
from pathlib import Path
from typing import Any

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.for_otter.bundle import Bundle, read_metadata, student_of
from pt2e_kit.formats.gradescope import NotForStudents, gradescope
from pt2e_kit.formats.words import for_instructors
from pt2e_kit.grading.pipeline import grade_submission, read_source
from pt2e_kit.grading.results import write_json
from pt2e_kit.grading.sandbox import another_user, bubblewrap
from pt2e_kit.settings import DEFAULT_LIMITS, Limits


def main(autograder: str | Path = "/autograder", limits: Limits = DEFAULT_LIMITS) -> int:
    """Grade `submission/` in the autograder's folder; write `results/results.json`; return the exit code.

    Where our side fails there is no result, and the code is 1: Gradescope then says that the autograder failed.
    For `otter grade` (which leaves submission_metadata.json empty) `results/results.pkl` is written as well.
    """
    place = Path(autograder)
    bundle = Bundle(place / "source")
    out = place / "results" / "results.json"
    out.unlink(missing_ok=True)
    keep_to_ourselves(bundle, place)
    if bubblewrap() is None and not another_user() and not bundle.unsafe_no_sandbox:
        console.complain(
            _(
                "this container allows no sandbox, and student code cannot be another user's than ours (we are not root, or "
                "Python lies where others cannot reach it): it could write the result itself. Nothing was run"
            )
        )
        return 1
    metadata = read_metadata(place / "submission_metadata.json")
    try:
        graded = grade_submission(
            bundle.source,
            place / "submission",
            student=student_of(metadata or {}, "submission"),
            class_seed=bundle.seed(),
            limits=limits,
            unsafe_no_sandbox=True,  # the container is the boundary; a note says so
        )
        for line in for_instructors(graded.result):
            console.say(line)
        shown = gradescope(graded.result)
    except NotForStudents as reason:
        console.complain(str(reason))
        return 1
    if metadata is None:
        _write_pickle(graded.result, bundle, place / "results" / "results.pkl")
    write_json(out, shown)
    return 0


def keep_to_ourselves(bundle: Bundle, place: Path) -> None:
    """Let other users reach the kit, and nothing else: neither hidden tests, seed nor results."""
    results = place / "results"
    results.mkdir(exist_ok=True)
    for folder in (place, bundle.root, bundle.root / "files", bundle.folder):
        folder.chmod(0o711)  # through, but without a look around
    for path in (bundle.root / "otter_config.json", bundle.tests, bundle.seed_file, bundle.folder / "source", results):
        path.chmod(0o700 if path.is_dir() else 0o600)
    for path in (bundle.kit, *bundle.kit.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def _write_pickle(result: dict[str, Any], bundle: Bundle, path: Path) -> None:
    """`otter grade` reads its results as a pickle; this one holds nothing but ours."""
    from otter.test_files import GradingResults

    from pt2e_kit.for_otter.parts import scored
    from pt2e_kit.for_otter.scores import fill

    parts = [part for notebook in read_source(bundle.source).values() for part in scored(notebook)]
    results = GradingResults([])
    fill(results, result, parts, bundle.tests)
    path.write_bytes(pickle.dumps(results))


if __name__ == "__main__":
    sys.exit(main())
