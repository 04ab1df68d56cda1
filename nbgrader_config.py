"""What `nbgrader` and formgrader read: our steps in the place of nbgrader's own where grading must be trusted.

Nothing here loads torch, so that every nbgrader command stays quick.
"""

from pathlib import Path

from nbconvert.preprocessors import CSSHTMLHeaderPreprocessor
from nbgrader.preprocessors import AssignLatePenalties, CheckCellMetadata, ClearHiddenTests, GetGrades, SaveAutoGrades

from pt2e_kit.course import put_own_programs_on_path
from pt2e_kit.nbgrader_staging import install
from pt2e_kit.nbgrader_steps import GradeSubmission, HideDetails, RefuseUnjudged, TellStudent, release_steps

put_own_programs_on_path()
install()  # Autograde reads submissions leniently, and follows no links

c = get_config()  # noqa: F821  (nbgrader puts it there)

c.CourseDirectory.root = str(Path(__file__).resolve().parent)
c.CourseDirectory.course_id = "pt2e"

# Student versions say which source they were made from, so that the tests notice when they are out of date.
# Cells may come and go after work was handed in: marks of the other cells stay.
c.GenerateAssignment.preprocessors = release_steps()

# Everything happens in one step: rebuild, execute in a sandbox, judge.
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    GradeSubmission,
    RefuseUnjudged,
    SaveAutoGrades,
    AssignLatePenalties,
    CheckCellMetadata,
]

# `nbgrader zip_collect` reads the names in downloads as `pt2e-kit collect` does; by name, so that others stay quick.
c.ZipCollectApp.collector_plugin = "pt2e_kit.lms.zip_collect.KitCollector"

# `nbgrader export` says which scores are stale.
c.ExportApp.plugin_class = "pt2e_kit.standing.KitExportPlugin"

# Feedback never shows hidden tests, and tells what was repaired.
c.GenerateFeedback.preprocessors = [
    HideDetails,
    ClearHiddenTests,
    TellStudent,
    GetGrades,
    CSSHTMLHeaderPreprocessor,
]
