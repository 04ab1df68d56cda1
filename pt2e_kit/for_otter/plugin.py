"""The plugin of our autograder zips: `otter run` asks it, and it asks the engine.

otter runs notebooks without limits and takes the results as a pickle from the student's process. So nothing that was
handed in is left to otter: before grading, all of it is moved away, graded by the engine (own process, sandbox where
there is one, judge in a process of its own), and an empty notebook takes its place. The test files give no points by
themselves; after grading their results are replaced by the engine's. Without the plugin everything is 0.
"""

import shutil
from pathlib import Path
from typing import Any

import nbformat
from otter.plugins import AbstractOtterPlugin
from otter.test_files import GradingResults

from common.i18n import _
from pt2e_kit.cli import console
from pt2e_kit.for_otter.bundle import Bundle, student_of
from pt2e_kit.for_otter.parts import scored
from pt2e_kit.for_otter.scores import fill
from pt2e_kit.formats.words import for_instructors
from pt2e_kit.grading import temporary
from pt2e_kit.grading.pipeline import Graded, grade_submission, read_source

OTTERS_OWN = ("tests", "__init__.py")
"""What otter has put beside the submission."""


# otter declares its methods to return nothing ever, since they raise where a plugin does not have them.
class KitPlugin(AbstractOtterPlugin):
    """Grades with pt2e-kit's engine in the place of otter's."""

    graded: Graded | None = None

    def before_grading(self, config: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Take away what was handed in, grade it, and leave an empty notebook to otter.

        Raises:
            RuntimeError: our side failed: there is to be no result, rather than a 0.
        """
        notebook = Path(self.submission_path)
        bundle = Bundle(notebook.parent.parent / "source")
        with temporary.folder() as folder:
            handed_in = folder / "handed-in"
            handed_in.mkdir()
            ours = {*OTTERS_OWN, *(p.name for p in (bundle.root / "files").iterdir())}
            for path in sorted(notebook.parent.iterdir()):
                if path.name not in ours:
                    shutil.move(path, handed_in / path.name)
            nbformat.write(_empty(), notebook)
            self.graded = grade_submission(
                bundle.source,
                handed_in,
                student=student_of(self.submission_metadata or {}, notebook.stem),
                class_seed=bundle.seed(),
                unsafe_no_sandbox=bundle.unsafe_no_sandbox,
            )
        if self.graded.result["state"] == "failed":
            causes = "; ".join(n["cause"] for n in self.graded.result["notebooks"] if n["cause"])
            raise RuntimeError(_("grading failed, and that is not the student's fault: {causes}").format(causes=causes))

    def before_execution(self, submission: Any) -> Any:
        """Whatever otter has read: an empty notebook is run."""
        return _empty()

    def after_grading(self, results: GradingResults) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Put in the engine's scores and findings.

        Raises:
            RuntimeError: otter could not even run the empty notebook, or we were not asked before.
        """
        if self.graded is None or results.has_catastrophic_failure():
            raise RuntimeError(_("otter could not do its part: {e}").format(e=results.catastrophic_error))
        bundle = Bundle(Path(self.submission_path).parent.parent / "source")
        parts = [part for notebook in read_source(bundle.source).values() for part in scored(notebook)]
        fill(results, self.graded.result, parts, bundle.tests)
        results.notebook = next(iter(self.graded.notebooks.values()), results.notebook)

    def generate_report(self) -> str:  # pyright: ignore[reportIncompatibleMethodOverride]
        """What the instructor should know: state, causes and notes."""
        if self.graded is None:
            return ""
        return "\n".join(console.plain(line) for line in for_instructors(self.graded.result))


def _empty() -> nbformat.NotebookNode:
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(metadata={"kernelspec": kernel})
