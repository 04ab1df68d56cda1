"""The course: its folders, its assignments, and nbgrader's view of it."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common.i18n import _

if TYPE_CHECKING:
    from nbgrader.coursedir import CourseDirectory
    from traitlets.config import Config

CONFIG = "nbgrader_config.py"


@dataclass(frozen=True)
class Course:
    """A folder with `nbgrader_config.py` and `source/`; every path is absolute."""

    root: Path

    @classmethod
    def find(cls, start: Path | None = None) -> "Course":
        """Return the course that `start` (the current folder where it is not given) lies in.

        Raises:
            FileNotFoundError: neither this folder nor one above it is a course.
        """
        start = (start or Path.cwd()).resolve()
        for folder in (start, *start.parents):
            if (folder / CONFIG).is_file() and (folder / "source").is_dir():
                return cls(folder)
        text = _("no course here: neither {path} nor a folder above it holds {config} and source/")
        raise FileNotFoundError(text.format(path=start, config=CONFIG))

    def source(self, assignment: str) -> Path:
        """Return the folder of an assignment's instructor notebooks.

        Raises:
            LookupError: there is no such assignment.
        """
        path = self.root / "source" / assignment
        if assignment not in self.assignments():
            known = ", ".join(self.assignments()) or _("none yet")
            text = _("there is no assignment {name!r} in source/; there are: {known}")
            raise LookupError(text.format(name=assignment, known=known))
        return path

    def assignments(self) -> list[str]:
        """Names of the assignments in source/, sorted."""
        folders = (p for p in (self.root / "source").iterdir() if p.is_dir() and not p.name.startswith("."))
        return sorted(p.name for p in folders)

    def submissions(self, assignment: str) -> dict[str, Path]:
        """Student → the folder handed in for an assignment, sorted by student. Links are not followed."""
        submitted = self.root / "submitted"
        if not submitted.is_dir():
            return {}
        students = sorted(p for p in submitted.iterdir() if p.is_dir() and not p.is_symlink())
        found = {p.name: p / assignment for p in students if not p.name.startswith(".")}
        return {student: path for student, path in found.items() if path.is_dir() and not path.is_symlink()}

    def results(self, assignment: str, student: str) -> Path:
        """The folder with a submission's results.json and its evidence."""
        return self.root / "results" / assignment / student

    def config(self) -> "Config":
        """Return what nbgrader_config.py sets, with all folders made absolute."""
        from traitlets.config.loader import PyFileConfigLoader

        config = PyFileConfigLoader(CONFIG, path=str(self.root)).load_config()
        config.CourseDirectory.root = str(self.root)
        return config

    def db_url(self) -> str:
        """Where nbgrader's gradebook is."""
        directory, _config = self.nbgrader(".")
        return directory.db_url

    def nbgrader(self, assignment: str, student: str = "*", **folders: str) -> "tuple[CourseDirectory, Config]":
        """Return nbgrader's course directory for an assignment, and its configuration."""
        from nbgrader.coursedir import CourseDirectory

        config = self.config()
        for name, value in folders.items():
            config.CourseDirectory[name] = value
        settings: dict[str, Any] = {"assignment_id": assignment, "student_id": student, "notebook_id": "*"}
        return CourseDirectory(config=config, **settings), config


def put_own_programs_on_path() -> None:
    """Let nbgrader find `alembic` when the environment's programs are not on the path: it starts it by name."""
    import sys

    own = str(Path(sys.executable).parent)
    parts = os.environ.get("PATH", "").split(os.pathsep)
    if own not in parts:
        os.environ["PATH"] = os.pathsep.join([own, *parts])
