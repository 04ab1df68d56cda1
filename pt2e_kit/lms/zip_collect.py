"""Let `nbgrader zip_collect` read names as `pt2e-kit collect` does: named in nbgrader_config.py."""

from datetime import UTC
from pathlib import Path
from typing import Any

from nbgrader.plugins import FileNameCollectorPlugin
from traitlets import Unicode

from pt2e_kit.course import Course
from pt2e_kit.grading.times import configured_zone
from pt2e_kit.lms.collecting import plan_download


class KitCollector(FileNameCollectorPlugin):
    """Answers from one plan of all extracted files, so that what is unclear is left for everybody alike.

    `c.FileNameCollectorPlugin.named_regexp` works as before, and is matched with the path below the extracted folder;
    without it the system is found out.
    """

    students_file = Unicode("", help="Table (CSV) of who is who; see `pt2e-kit collect --help`.").tag(config=True)
    system = Unicode("auto", help="Where downloads are from, as `pt2e-kit collect --from` takes it.").tag(config=True)
    _answers: dict[Path, dict[str, Any]] | None = None

    def collect(self, submitted_file: str) -> dict[str, Any] | None:
        """Return student, file and time for a file that is to be collected, or None."""
        if self._answers is None:
            self._answers = self._plan()
        return self._answers.get(Path(submitted_file).resolve())

    def _plan(self) -> dict[Path, dict[str, Any]]:
        app: Any = self.parent
        extracted = Path(app._format_collect_path(app.extracted_directory)).resolve()
        students = Path(self.students_file) if self.students_file else None
        course, assignment = Course(Path(app.coursedir.root)), app.coursedir.assignment_id
        chosen, zone = self.named_regexp or self.system, configured_zone(self.config)
        answers: dict[Path, dict[str, Any]] = {}
        with plan_download(course, assignment, extracted, chosen=chosen, students=students, zone=zone) as plan:
            for name, why in plan.left:
                self.log.warning("left: %a: %s", name, why)
            for submission in plan.submissions:
                if submission.state != "new":
                    self.log.warning("left: %a: %s", submission.person, submission.why)
                    continue
                # No text: nbgrader would write its time without the zone.
                moment = submission.moment.astimezone(UTC) if submission.moment else None
                for name, member in submission.files.items():
                    answer = {"student_id": submission.student, "file_id": name, "timestamp": moment}
                    answers[extracted / member.path] = answer
        return answers
